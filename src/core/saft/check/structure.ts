/** Checks the structure of a file against the schema: its elements, their order, and their texts. */
import type { SaftElement, SaftVisitor } from "../read.ts";
import type { Findings } from "./findings.ts";
import { rulesByKind, type Slot, slotsByKind } from "./schema.ts";
import type { ValueRule } from "./values.ts";

/** An open element, and the slot of its last child. */
interface Progress {
  readonly kind: string | undefined;
  readonly slots: readonly Slot[];
  slot: number;
  isFilled: boolean;
}

/** The attributes any element may have. */
const ATTRIBUTES = /^\{http:\/\/www\.w3\.org\/2001\/XMLSchema-instance\}(?:noNamespaceS|s)chemaLocation$/;

/** Checks each element as it opens and closes. The contents of unknown elements are not checked. */
export function structureCheck(errors: Findings): SaftVisitor {
  const slotsOf = slotsByKind();
  const rules = rulesByKind();
  const stack: Progress[] = [];
  const report = (element: SaftElement, reason: string) => errors.at(element, "structure", reason);

  return {
    open(element) {
      const parent = stack.at(-1);
      const kind = parent ? slotFor(element, parent, report) : "AuditFile";
      stack.push({ kind, slots: slotsOf.get(kind ?? "") ?? [], slot: 0, isFilled: false });
      if (!element.attributes.every((name) => ATTRIBUTES.test(name))) {
        report(element, `${element.name} has an attribute; SAF-T elements have none.`);
      }
    },
    close(element) {
      const progress = stack.pop() as Progress;
      if (progress.kind === undefined) return;
      const rule = rules.get(progress.kind);
      const problems = rule ? [problemWithText(element, rule)] : problemsWithChildren(element, progress);
      for (const problem of problems) if (problem) report(element, `${element.name} ${problem}.`);
    },
  };
}

function problemWithText({ holds_elements, text }: SaftElement, rule: ValueRule): string | undefined {
  return holds_elements ? "contains elements; it may contain only text" : rule(text);
}

function problemsWithChildren({ is_mixed, holds_elements, text }: SaftElement, progress: Progress): string[] {
  const missing = missingBefore(progress);
  const hasText = is_mixed || (!holds_elements && /[^ \t\r\n]/.test(text));
  return [
    ...(missing ? [`lacks ${missing}`] : []),
    ...(hasText ? ["contains text; it may contain only elements"] : []),
  ];
}

/** The names of the needed slots between the last child and another slot, or the end. */
function missingBefore({ slots, slot, isFilled }: Progress, next = slots.length): string {
  const skipped = slots.slice(isFilled ? slot + 1 : slot, next).filter(({ isNeeded }) => isNeeded);
  return skipped.map(nameOf).join(", ");
}

/** Moves to the slot of an element in the order of its parent, and returns its kind; undefined when it is unknown. */
function slotFor(
  element: SaftElement,
  progress: Progress,
  report: (element: SaftElement, reason: string) => void,
): string | undefined {
  const { slots, slot, isFilled, kind } = progress;
  const { name } = element;
  const start = isFilled && !slots[slot]?.repeats ? slot + 1 : slot;
  const found = slots.findIndex(({ kinds }, index) => index >= start && kinds.has(name));
  if (found === -1) {
    const known = slots.find(({ kinds }) => kinds.has(name));
    if (kind === undefined) return undefined;
    if (!known) report(element, `${element.parent?.name} may not contain ${name}.`);
    else if (known === slots[slot]) report(element, `${element.parent?.name} may contain only one ${nameOf(known)}.`);
    else report(element, `${name} is out of order: it comes after ${slots[slot] && nameOf(slots[slot])}.`);
    return known?.kinds.get(name);
  }
  const missing = missingBefore(progress, found);
  if (missing) report(element, `${element.parent?.name} lacks ${missing} before ${name}.`);
  progress.slot = found;
  progress.isFilled = true;
  return slots[found]?.kinds.get(name);
}

function nameOf({ kinds }: Slot): string {
  return [...kinds.keys()].join(" or ");
}
