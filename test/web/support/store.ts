/** What the page's modules need of a browser when they load, for tests of them alone. */
import { vi } from "vitest";

/** Gives a test file stores and an address of its own, in place of the browser's. */
export function ownStore(): void {
  vi.stubGlobal("location", { pathname: "/area/", search: "" });
  for (const name of ["localStorage", "sessionStorage"]) vi.stubGlobal(name, newStore());
}

/** What is kept are the store's own properties, as in a browser. */
const newStore = () =>
  Object.create({
    getItem(name: string) {
      return this[name] ?? null;
    },
    setItem(name: string, value: string) {
      this[name] = value;
    },
    removeItem(name: string) {
      delete this[name];
    },
  } as Record<string, unknown> & ThisType<Record<string, string>>);
