/** Every screen: the first part of its address, and what it needs. */
import type { ComponentType } from "preact";
import { Screen as Account } from "./screens/account.tsx";
import { Screen as Customers } from "./screens/customers.tsx";
import { Screen as Documents } from "./screens/documents.tsx";
import { Screen as Home } from "./screens/home.tsx";
import { Screen as Import } from "./screens/import.tsx";
import { Screen as Keys } from "./screens/keys.tsx";
import { Screen as NewDocument } from "./screens/new.tsx";
import { Screen as Payments } from "./screens/payments.tsx";
import { Screen as Products } from "./screens/products.tsx";
import { Screen as Saft } from "./screens/saft.tsx";
import { Screen as Series } from "./screens/series.tsx";
import { Screen as Settings } from "./screens/settings.tsx";
import { Screen as State } from "./screens/state.tsx";
import { Screen as Users } from "./screens/users.tsx";
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
  readonly Screen: ComponentType;
}

export const SCREENS: readonly Screen[] = [
  { name: "", title: () => t.home, needs: "documents:read", menu: "sell", Screen: Home },
  { name: "new", title: () => t.new, needs: "documents:write", menu: "sell", Screen: NewDocument },
  { name: "documents", title: () => t.documents, needs: "documents:read", menu: "sell", Screen: Documents },
  { name: "payments", title: () => t.payments, needs: "payments:read", menu: "sell", Screen: Payments },
  { name: "customers", title: () => t.customers, needs: "customers:read", menu: "keep", Screen: Customers },
  { name: "products", title: () => t.products, needs: "products:read", menu: "keep", Screen: Products },
  { name: "series", title: () => t.series, needs: "series:read", menu: "keep", Screen: Series },
  { name: "saft", title: () => t.saft, needs: "saft:read", menu: "keep", Screen: Saft },
  { name: "settings", title: () => t.settings, needs: "company:write", menu: "run", Screen: Settings },
  { name: "import", title: () => t.import, needs: "company:write", Screen: Import },
  { name: "users", title: () => t.users, needs: "users:manage", menu: "run", Screen: Users },
  { name: "keys", title: () => t.keys, needs: "keys:manage", menu: "run", Screen: Keys },
  { name: "state", title: () => t.state, needs: "installation:read", menu: "run", Screen: State },
  { name: "account", title: () => t.account, Screen: Account },
];
