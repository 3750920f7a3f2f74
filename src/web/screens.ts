/** Every screen: the first part of its address, what it needs, and its code, fetched when it is first shown. */
import type { ComponentType } from "preact";
import type { Permission } from "./session.ts";
import { texts } from "./texts.ts";

const t = texts({
  home: ["Início", "Home"],
  new: ["Novo documento", "New document"],
  documents: ["Documentos", "Documents"],
  payments: ["Pagamentos", "Payments"],
  customers: ["Clientes", "Customers"],
  products: ["Artigos", "Products"],
  series: ["Séries", "Series"],
  saft: ["Ficheiro SAF-T", "Tax file"],
  keys: ["Chaves de API", "API keys"],
  users: ["Utilizadores", "Users"],
  settings: ["Definições", "Settings"],
  import: ["Importar SAF-T", "Import a SAF-T"],
  state: ["Estado", "State"],
  account: ["A minha conta", "My account"],
});

export interface Screen {
  /** The first part of the path: `documents`; empty for home. */
  readonly name: string;
  readonly title: () => string;
  /** What the user's role must allow; none where everybody may see it. */
  readonly needs?: Permission;
  /** The group of the menu it stands in; none where another way leads there. */
  readonly menu?: "sell" | "keep" | "run";
  readonly load: () => Promise<{ readonly Screen: ComponentType }>;
}

const code = () => import("./screens/all.ts");

export const SCREENS: readonly Screen[] = [
  { name: "", title: () => t.home, needs: "documents:read", menu: "sell", load: () => code().then((all) => all.home) },
  {
    name: "new",
    title: () => t.new,
    needs: "documents:write",
    menu: "sell",
    load: () => code().then((all) => all.newDocument),
  },
  {
    name: "documents",
    title: () => t.documents,
    needs: "documents:read",
    menu: "sell",
    load: () => code().then((all) => all.documents),
  },
  {
    name: "payments",
    title: () => t.payments,
    needs: "payments:read",
    menu: "sell",
    load: () => code().then((all) => all.payments),
  },
  {
    name: "customers",
    title: () => t.customers,
    needs: "customers:read",
    menu: "keep",
    load: () => code().then((all) => all.customers),
  },
  {
    name: "products",
    title: () => t.products,
    needs: "products:read",
    menu: "keep",
    load: () => code().then((all) => all.products),
  },
  {
    name: "series",
    title: () => t.series,
    needs: "series:read",
    menu: "keep",
    load: () => code().then((all) => all.series),
  },
  { name: "saft", title: () => t.saft, needs: "saft:read", menu: "keep", load: () => code().then((all) => all.saft) },
  {
    name: "settings",
    title: () => t.settings,
    needs: "company:write",
    menu: "run",
    load: () => code().then((all) => all.settings),
  },
  { name: "import", title: () => t.import, needs: "company:write", load: () => code().then((all) => all.importing) },
  {
    name: "users",
    title: () => t.users,
    needs: "users:manage",
    menu: "run",
    load: () => code().then((all) => all.users),
  },
  { name: "keys", title: () => t.keys, needs: "keys:manage", menu: "run", load: () => code().then((all) => all.keys) },
  {
    name: "state",
    title: () => t.state,
    needs: "installation:read",
    menu: "run",
    load: () => code().then((all) => all.state),
  },
  { name: "account", title: () => t.account, load: () => code().then((all) => all.account) },
];
