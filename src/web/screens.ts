/** Every screen: the first part of its address, what it needs, and its code, fetched when it is first shown. */
import type { ComponentType } from "preact";
import { texts } from "./language.ts";
import type { Permission } from "./session.ts";

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

export const SCREENS: readonly Screen[] = [
  { name: "", title: () => t.home, needs: "documents:read", menu: "sell", load: () => import("./screens/home.tsx") },
  { name: "new", title: () => t.new, needs: "documents:write", menu: "sell", load: () => import("./screens/new.tsx") },
  {
    name: "documents",
    title: () => t.documents,
    needs: "documents:read",
    menu: "sell",
    load: () => import("./screens/documents.tsx"),
  },
  {
    name: "payments",
    title: () => t.payments,
    needs: "payments:read",
    menu: "sell",
    load: () => import("./screens/payments.tsx"),
  },
  {
    name: "customers",
    title: () => t.customers,
    needs: "customers:read",
    menu: "keep",
    load: () => import("./screens/customers.tsx"),
  },
  {
    name: "products",
    title: () => t.products,
    needs: "products:read",
    menu: "keep",
    load: () => import("./screens/products.tsx"),
  },
  {
    name: "series",
    title: () => t.series,
    needs: "series:read",
    menu: "keep",
    load: () => import("./screens/series.tsx"),
  },
  { name: "saft", title: () => t.saft, needs: "saft:read", menu: "keep", load: () => import("./screens/saft.tsx") },
  {
    name: "settings",
    title: () => t.settings,
    needs: "company:write",
    menu: "run",
    load: () => import("./screens/settings.tsx"),
  },
  {
    name: "users",
    title: () => t.users,
    needs: "users:manage",
    menu: "run",
    load: () => import("./screens/users.tsx"),
  },
  { name: "keys", title: () => t.keys, needs: "keys:manage", menu: "run", load: () => import("./screens/keys.tsx") },
  {
    name: "state",
    title: () => t.state,
    needs: "installation:read",
    menu: "run",
    load: () => import("./screens/state.tsx"),
  },
  { name: "account", title: () => t.account, load: () => import("./screens/account.tsx") },
];
