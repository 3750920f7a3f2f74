/** Lacre inside a node:http server that has pages of its own. Run it with `node examples/embed-node.ts`. */
import { createServer } from "node:http";
import { openLacre } from "lacre";
import { createHandler } from "lacre/http";
import { nodeListener } from "lacre/node";
import { sqlite } from "lacre/sqlite";

const lacre = await openLacre({ dialect: sqlite(process.env.SHOP_DB ?? ":memory:") });
const company =
  (await lacre.companies.list())[0] ?? (await lacre.companies.create({ name: "Loja", tax_id: "500000000" }));

const invoices = nodeListener(createHandler(lacre));

const server = createServer((request, response) => {
  if (request.url?.startsWith("/v1/")) invoices(request, response);
  else response.end(`${company.name} sells bread here.\n`);
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(JSON.stringify(server.address()));
});

process.once("SIGTERM", () => server.close(() => lacre.close()));
