/** `lacre/http`: the whole API as one function from `Request` to `Response`. */
export { type Answer, type AnswerCode, statusOf } from "./answer.ts";
export { type AreaFiles, readAreaFiles } from "./area-files.ts";
export type { AreaOptions, Authenticate, HostSession } from "./credentials.ts";
export { createHandler, type Handler, type HandlerOptions, type RequestSource } from "./handler.ts";
export type { IncomingRequest } from "./incoming-request.ts";
export { openApiDocument } from "./openapi.ts";
export { type Manual, readManual } from "./reading.ts";
export { readViewer, type Viewer } from "./viewer.ts";
