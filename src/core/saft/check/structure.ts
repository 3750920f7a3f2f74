/** The structure of a file against the schema: which elements, in which order, with which texts. */
import type { SaftElement, SaftVisitor } from "../read.ts";
import type { Findings } from "./findings.ts";
import { RULES, SLOTS, type Slot } from "./schema.ts";

/** An element under way: where in the order of its kind the last child stood. */
interface Progress {
  readonly kind: string | undefined;
  readonly slots: readonly Slot[];
  slot: number;
  isFilled: boolean;
}

/** The attributes any element may have. */
const ATTRIBUTES = /^\{http:\/\/www\.w3\.org\/2001\/XMLSchema-instance\}(?:noNamespaceS|s)chemaLocation$/;

/** Checks each element as it opens and closes. What is inside an unknown element is not judged. */
export function structureCheck(errors: Findings): SaftVisitor {
  const stack: Progress[] = [];
  const complain = (element: SaftElement, reason: string) => errors.at(element, "structure", reason);

  return {
    open(element) {
      const parent = stack.at(-1);
      const kind = parent ? place(element, parent, complain) : "AuditFile";
      stack.push({ kind, slots: SLOTS.get(kind ?? "") ?? [], slot: 0, isFilled: false });
      if (!element.attributes.every((name) => ATTRIBUTES.test(name))) {
        complain(element, `${element.name} has an attribute; SAF-T elements have none.`);
      }
    },
    close(element) {
      const { kind, slots, slot, isFilled } = stack.pop() as Progress;
      if (kind === undefined) return;
      const rule = RULES.get(kind);
      if (rule) {
        const problem = element.holds_elements ? "holds elements; it may only hold text" : rule(element.text);
        if (problem) complain(element, `${element.name} ${problem}.`);
        return;
      }
      const missing = slots.slice(isFilled ? slot + 1 : slot).filter(({ isNeeded }) => isNeeded);
      if (missing.length > 0) complain(element, `${element.name} lacks ${missing.map(nameOf).join(", ")}.`);
      if (element.is_mixed || (!element.holds_elements && /[^ \t\r\n]/.test(element.text))) {
        complain(element, `There is text in ${element.name} beside its elements.`);
      }
    },
  };
}

/** Finds the place of an element in the order of its parent, moves on to it, and says its kind. */
function place(
  element: SaftElement,
  progress: Progress,
  complain: (element: SaftElement, reason: string) => void,
): string | undefined {
  const { slots, slot, isFilled, kind } = progress;
  const { name } = element;
  const start = isFilled && !slots[slot]?.repeats ? slot + 1 : slot;
  const found = slots.findIndex(({ kinds }, index) => index >= start && kinds.has(name));
  if (found === -1) {
    const known = slots.find(({ kinds }) => kinds.has(name));
    if (kind === undefined) return undefined;
    if (!known) complain(element, `${element.parent?.name} holds no ${name}.`);
    else if (known === slots[slot]) complain(element, `${element.parent?.name} holds a second ${nameOf(known)}.`);
    else complain(element, `${name} is out of place: it comes after ${slots[slot] && nameOf(slots[slot])}.`);
    return known?.kinds.get(name);
  }
  const skipped = slots.slice(isFilled ? slot + 1 : slot, found).filter(({ isNeeded }) => isNeeded);
  if (skipped.length > 0) {
    complain(element, `${element.parent?.name} lacks ${skipped.map(nameOf).join(", ")} before ${name}.`);
  }
  progress.slot = found;
  progress.isFilled = true;
  return slots[found]?.kinds.get(name);
}

function nameOf({ kinds }: Slot): string {
  return [...kinds.keys()].join(" or ");
}
