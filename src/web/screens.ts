/** Every screen: the first part of its address, and its requirements. */
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
  mail: ["E-mail", "E-mail"],
  import: ["Importar SAF-T", "Import a SAF-T"],
  state: ["Estado", "State"],
  account: ["A minha conta", "My account"],
});

export interface Screen {
  /** The first part of the path: `documents`; empty for home. */
  readonly name: string;
  readonly title: () => string;
  /** The permission that the user's role must have; undefined if everybody may see it. */
  readonly needs?: AnyPermission;
  /** Its group in the menu; undefined if another way leads there. */
  readonly menu?: "sell" | "keep" | "run";
  /** Reads its script, which is kept from then on. */
  readonly read: () => Promise<{ readonly Screen: ComponentType }>;
}

/** Reads every screen, one after the other, so that later visits need not wait, not even for the network. */
export async function readAhead(): Promise<void> {
  for (const { read } of SCREENS) await read().catch(() => {});
}

type Needs = Pick<Screen, "needs" | "menu">;

const screen = (name: keyof typeof t, read: Screen["read"], needs: Needs = {}): Screen => ({
  name: name === "home" ? "" : name,
  title: () => t[name],
  read,
  ...needs,
});

export const SCREENS: readonly Screen[] = [
  screen("home", () => import("./screens/home.tsx"), { needs: "documents:read", menu: "sell" }),
  screen("new", () => import("./screens/new.tsx"), { needs: "documents:write", menu: "sell" }),
  screen("documents", () => import("./screens/documents.tsx"), { needs: "documents:read", menu: "sell" }),
  screen("payments", () => import("./screens/payments.tsx"), { needs: "payments:read", menu: "sell" }),
  screen("customers", () => import("./screens/customers.tsx"), { needs: "customers:read", menu: "keep" }),
  screen("products", () => import("./screens/products.tsx"), { needs: "products:read", menu: "keep" }),
  screen("series", () => import("./screens/series.tsx"), { needs: "series:read", menu: "keep" }),
  screen("saft", () => import("./screens/saft.tsx"), { needs: "saft:read", menu: "keep" }),
  screen("settings", () => import("./screens/settings.tsx"), { needs: "company:write", menu: "run" }),
  screen("mail", () => import("./screens/mail.tsx"), { needs: "company:write" }),
  screen("import", () => import("./screens/import.tsx"), { needs: "company:write" }),
  screen("users", () => import("./screens/users.tsx"), { needs: "users:manage", menu: "run" }),
  screen("keys", () => import("./screens/keys.tsx"), { needs: "keys:manage", menu: "run" }),
  screen("state", () => import("./screens/state.tsx"), { needs: "installation:read", menu: "run" }),
  screen("account", () => import("./screens/account.tsx")),
];
