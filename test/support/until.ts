/**
 * What is found once it is found, which something under way will bring about. There is no limit but that of the run: a
 * busy machine decides nothing.
 */
export async function until<T>(find: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined | 0 | "">> {
  for (;;) {
    const found = await find();
    if (found) return found as Exclude<T, false | null | undefined | 0 | "">;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
