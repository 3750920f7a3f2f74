/** Texts a memoized function keeps. The texts that are used most appear early. */
const MEMOIZED = 2_000;

/** A pure function that keeps its results for the first few thousand texts. */
export function memoized<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.get(text);
    if (value !== undefined) return value;
    const made = make(text);
    if (known.size < MEMOIZED) known.set(text, made);
    return made;
  };
}
