/** `node --import ./test/support/from-source.ts …` resolves "lacre", "lacre/http" … to src. */
import { registerHooks } from "node:module";
import { ENTRANCES } from "../../tools/entrances.ts";

registerHooks({
  resolve(specifier, context, next) {
    const source = ENTRANCES[specifier];
    return next(source ? new URL(`../../${source}`, import.meta.url).href : specifier, context);
  },
});
