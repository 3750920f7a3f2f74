/** `node --import ./test/support/clock-off.ts …` puts the wall clock of a process off by LACRE_TEST_CLOCK_OFF_MS. */

const off_ms = Number(process.env.LACRE_TEST_CLOCK_OFF_MS ?? 0);
const { now } = Date;

if (off_ms !== 0) {
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now() + off_ms] : args, made),
    get: (target, name) => (name === "now" ? () => now() + off_ms : Reflect.get(target, name)),
  });
}
