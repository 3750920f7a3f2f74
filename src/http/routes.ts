/** Every route: its method and path, the operation it runs or the page it serves, and the status of success. */
import * as z from "zod";
import { COMPANY_OPERATIONS } from "../core/operations.ts";
import type { Command, Operation, Query } from "../core/runtime/operation.ts";
import { description, health, readiness, viewerPage, viewerScript, viewerStyle } from "./pages.ts";
import type { FileKind, Method, OperationRoute, PageRoute, PublicPage, Route, Upload } from "./route.ts";

const { customers, products, documents, payments, links, emails, series, saft, events, webhooks, me, checks } =
  COMPANY_OPERATIONS;

export const ROUTES: readonly Route[] = [
  route("GET", "/v1/me", me.get),

  route("GET", "/v1/customers", customers.list),
  route("POST", "/v1/customers", customers.create, 201),
  route("GET", "/v1/customers/:id", customers.get),
  route("PATCH", "/v1/customers/:id", customers.change),
  route("DELETE", "/v1/customers/:id", customers.archive, 204),
  route("GET", "/v1/customers/:id/statement", customers.statement),
  pdf("GET", "/v1/customers/:id/statement/pdf", customers.statementPdf),

  route("GET", "/v1/products", products.list),
  route("POST", "/v1/products", products.create, 201),
  route("GET", "/v1/products/:id", products.get),
  route("PATCH", "/v1/products/:id", products.change),
  route("DELETE", "/v1/products/:id", products.archive, 204),

  route("GET", "/v1/documents", documents.list),
  route("POST", "/v1/documents", documents.create, 201),
  route("GET", "/v1/documents/:id", documents.get),
  route("PATCH", "/v1/documents/:id", documents.change),
  route("DELETE", "/v1/documents/:id", documents.discard, 204),
  pdf("GET", "/v1/documents/:id/pdf", documents.pdf),
  pdf("POST", "/v1/documents/:id/prints", documents.print),
  unlocated("POST", "/v1/documents/preview", documents.preview, 200),
  route("GET", "/v1/documents/:id/preview", documents.previewDraft),
  route("POST", "/v1/documents/:id/issue", documents.issue),
  route("POST", "/v1/documents/:id/cancel", documents.cancel),
  route("POST", "/v1/documents/:id/credit", documents.credit, 201, "/v1/documents"),
  route("POST", "/v1/documents/:id/payments", payments.record, 201, "/v1/payments"),
  route("POST", "/v1/documents/:id/email", documents.email, 201, "/v1/emails"),

  route("GET", "/v1/documents/:id/links", links.list),
  route("POST", "/v1/documents/:id/links", links.create, 201, "/v1/links"),

  route("GET", "/v1/links/:id", links.get),
  route("DELETE", "/v1/links/:id", links.revoke, 204),

  route("GET", "/v1/payments", payments.list),
  route("GET", "/v1/payments/takings", payments.takings),
  pdf("GET", "/v1/payments/takings/pdf", payments.takingsPdf),
  route("DELETE", "/v1/payments/:id", payments.void, 204),

  route("GET", "/v1/emails", emails.list),
  route("GET", "/v1/emails/:id", emails.get),

  route("GET", "/v1/series", series.list),
  route("POST", "/v1/series", series.create, 201),
  route("GET", "/v1/series/:id", series.get),
  route("PATCH", "/v1/series/:id", series.change),

  file("GET", "/v1/saft", saft.export, "application/xml", ({ report: { from, to }, file }) => ({
    name: `saft-${from}-${to}.xml`,
    content: file,
  })),

  route("GET", "/v1/events", events.read),

  route("GET", "/v1/webhooks", webhooks.list),
  route("POST", "/v1/webhooks", webhooks.create, 201),
  route("GET", "/v1/webhooks/:id", webhooks.get),
  route("PATCH", "/v1/webhooks/:id", webhooks.change),
  route("DELETE", "/v1/webhooks/:id", webhooks.delete, 204),
  unlocated("POST", "/v1/webhooks/:id/secret", webhooks.rotateSecret, 200),
  unlocated("POST", "/v1/webhooks/:id/test", webhooks.test, 200),
  route("GET", "/v1/webhooks/:id/deliveries", webhooks.listDeliveries),
  unlocated("POST", "/v1/webhooks/deliveries/:id/redeliver", webhooks.redeliver, 200),

  page("/openapi.json", description),
  page("/docs", viewerPage),
  page("/docs/viewer.js", viewerScript),
  page("/docs/viewer.css", viewerStyle),
  page("/healthz", health),
  page("/readyz", readiness),
];

/** The operations of a company that have no route, and why. */
export const LIBRARY_ONLY: readonly { readonly operation: Operation; readonly reason: string }[] = [
  { operation: series.current, reason: "A key asks GET /v1/series?current=true, which answers it for every type." },
  { operation: series.verify, reason: "Reads every document; run it on the machine, beside the server." },
  { operation: series.answer, reason: "Whoever answers for a changed database has looked at it on its machine." },
  { operation: checks.look, reason: "The server checks by itself; a host program calls lacre.check." },
  { operation: checks.record, reason: "As for looking." },
  { operation: checks.claim, reason: "As for looking." },
  { operation: webhooks.take, reason: "Whoever sends webhooks takes them; only the server and the host program do." },
  { operation: webhooks.settle, reason: "As for taking them." },
  { operation: links.open, reason: "Whoever has a link opens it at /d/…, outside /v1 and without a key." },
  { operation: emails.take, reason: "Whoever sends e-mails takes them; only the server and the host program do." },
  { operation: emails.begin, reason: "As for taking them." },
  { operation: emails.settle, reason: "As for taking them." },
  { operation: series.confirmHeads, reason: "Unlocks issuing after a restore, which only the operator may do." },
];

/**
 * A route that runs an operation. Throws, when the table is built, for an operation that only the operator may run or
 * whose input is not an object.
 */
export function route(
  method: Method,
  path: string,
  operation: Operation,
  status: OperationRoute["status"] = 200,
  collection = path,
): OperationRoute {
  if (operation.needs === "operator") throw new Error(`${operation.id} is for the host program alone.`);
  const { input } = operation;
  if (!(input instanceof z.ZodObject)) throw new Error(`${operation.id} does not take an object.`);
  const path_fields = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name as string);
  return { method, path, operation, input, path_fields, status, collection };
}

/** A route that creates something without a path: its answer has no Location. */
export function unlocated(method: Method, path: string, operation: Operation, status: 200 | 201): OperationRoute {
  return { ...route(method, path, operation, status), collection: null };
}

/** A route that opens a session: the secret of its result goes into a cookie. */
export function opening(method: Method, path: string, operation: Operation): OperationRoute {
  return { ...unlocated(method, path, operation, 201), cookie: "set" };
}

/** A route that ends the session: the browser forgets the cookie. */
export function closing(method: Method, path: string, operation: Operation): OperationRoute {
  return { ...route(method, path, operation, 204), cookie: "forget" };
}

/** A route whose result is a file. */
export function file<Input extends z.ZodType, Output extends z.ZodType>(
  method: Method,
  path: string,
  operation: Query<Input, Output> | Command<Input, Output>,
  type: string,
  fileIn: FileKind<z.output<Output>>["fileIn"],
): OperationRoute {
  return { ...route(method, path, operation), file: { type, fileIn } };
}

/** The result of an operation that draws a paper: the bytes of a PDF, and its name. */
type Paper = (typeof documents.pdf)["output"];

/** A route whose result is a paper. */
function pdf<Input extends z.ZodType>(
  method: Method,
  path: string,
  operation: Query<Input, Paper> | Command<Input, Paper>,
): OperationRoute {
  return file(method, path, operation, "application/pdf", ({ name, pdf }) => ({ name, content: pdf }));
}

/** A route whose body is a file. */
export function upload(path: string, operation: Operation, taken: Upload): OperationRoute {
  return { ...unlocated("POST", path, operation, 200), upload: taken };
}

/** A route that serves a page to anybody. */
export function page(path: string, content: PublicPage): PageRoute {
  return { method: "GET", path, page: content };
}
