/** Every screen: the first part of its address, and what it needs. */
import type { ComponentType } from "preact";
import type { AnyPermission } from "../core/runtime/permissions.ts";
import { texts } from "./words/texts.ts";

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
  readonly needs?: AnyPermission;
  /** The group of the menu it stands in; none where another way leads there. */
  readonly menu?: "sell" | "keep" | "run";
  /** Reads its script, which is kept from then on. */
  readonly read: () => Promise<{ readonly Screen: ComponentType }>;
}

/** Reads every screen, one after the other, so that a later visit waits for nothing, not even for a network. */
export async function readAhead(): Promise<void> {
  for (const { read } of SCREENS) await read().catch(() => {});
}

export const SCREENS: readonly Screen[] = [
  { name: "", title: () => t.home, needs: "documents:read", menu: "sell", read: () => import("./screens/home.tsx") },
  { name: "new", title: () => t.new, needs: "documents:write", menu: "sell", read: () => import("./screens/new.tsx") },
  {
    name: "documents",
    title: () => t.documents,
    needs: "documents:read",
    menu: "sell",
    read: () => import("./screens/documents.tsx"),
  },
  {
    name: "payments",
    title: () => t.payments,
    needs: "payments:read",
    menu: "sell",
    read: () => import("./screens/payments.tsx"),
  },
  {
    name: "customers",
    title: () => t.customers,
    needs: "customers:read",
    menu: "keep",
    read: () => import("./screens/customers.tsx"),
  },
  {
    name: "products",
    title: () => t.products,
    needs: "products:read",
    menu: "keep",
    read: () => import("./screens/products.tsx"),
  },
  {
    name: "series",
    title: () => t.series,
    needs: "series:read",
    menu: "keep",
    read: () => import("./screens/series.tsx"),
  },
  { name: "saft", title: () => t.saft, needs: "saft:read", menu: "keep", read: () => import("./screens/saft.tsx") },
  {
    name: "settings",
    title: () => t.settings,
    needs: "company:write",
    menu: "run",
    read: () => import("./screens/settings.tsx"),
  },
  { name: "import", title: () => t.import, needs: "company:write", read: () => import("./screens/import.tsx") },
  {
    name: "users",
    title: () => t.users,
    needs: "users:manage",
    menu: "run",
    read: () => import("./screens/users.tsx"),
  },
  { name: "keys", title: () => t.keys, needs: "keys:manage", menu: "run", read: () => import("./screens/keys.tsx") },
  {
    name: "state",
    title: () => t.state,
    needs: "installation:read",
    menu: "run",
    read: () => import("./screens/state.tsx"),
  },
  { name: "account", title: () => t.account, read: () => import("./screens/account.tsx") },
];
