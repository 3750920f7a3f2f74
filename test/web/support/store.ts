/** What the page's modules need of a browser when they load, for tests of them alone. */
import { vi } from "vitest";

/** Gives a test file a store of its own, in place of the browser's. */
export function ownStore(): void {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  });
}
