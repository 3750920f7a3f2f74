/** The screen is built in a later step. */
export function Screen() {
  return <p>settings</p>;
}
