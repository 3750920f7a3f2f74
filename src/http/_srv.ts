import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { openInMemory } from "lacre/testing";

const log = (e: object) => console.log(JSON.stringify(e));
const { lacre, api_key } = await openInMemory({ log });
const server = await serve(createHandler(lacre), { port: 8791, log });
console.log(server.url, api_key);
process.once("SIGTERM", async () => {
  const t = performance.now();
  await server.close();
  console.log("closed", performance.now() - t);
  await lacre.close();
});
