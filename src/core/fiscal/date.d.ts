/** A `Date` writes an instant. Only within this repository: the package leaves the `Date` of others alone. */
interface Date {
  toISOString(): import("./civil-time.ts").Instant;
}
