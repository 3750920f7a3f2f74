import { expect, test } from "vitest";
import { readsLikeWithholding } from "../../../src/core/fiscal/withholding.ts";

test.each(["Retenção na fonte", "RETENÇÃO", "retencao IRS 25 %", "Retenções na fonte", "- retenção", "(Retenção)"])(
  "%s is no line",
  (text) => expect(readsLikeWithholding(text)).toBe(true),
);

test.each(["Válvula de retenção", "Retentor", "Retenções2", "Manutenção", "", "Consultoria sujeita a retenção"])(
  "%s is one",
  (text) => expect(readsLikeWithholding(text)).toBe(false),
);
