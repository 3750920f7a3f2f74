/** The code of every screen, fetched at once: one file compresses to a sixth less than a file for each. */
export * as account from "./account.tsx";
export * as customers from "./customers.tsx";
export * as documents from "./documents.tsx";
export * as home from "./home.tsx";
export * as importing from "./import.tsx";
export * as keys from "./keys.tsx";
export * as login from "./login.tsx";
export * as newDocument from "./new.tsx";
export * as payments from "./payments.tsx";
export * as products from "./products.tsx";
export * as saft from "./saft.tsx";
export * as series from "./series.tsx";
export * as settings from "./settings.tsx";
export * as setup from "./setup.tsx";
export * as state from "./state.tsx";
export * as users from "./users.tsx";
