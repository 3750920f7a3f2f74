/** A part of the settings of e-mail: its fields as they are kept, typed and saved. */
import type { CompanyMail } from "../../core/face.ts";
import { type FormState, useForm } from "../fields/form.tsx";
import { useLeaveQuestion } from "../router.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  leave: ["Há alterações por guardar. Sair mesmo assim?", "There are changes that are not saved. Leave all the same?"],
});

/** What each part of the settings is given. */
export interface PartProps {
  readonly mail: CompanyMail;
  readonly onChanged: (mail: CompanyMail) => void;
}

/** The fields of a part, by their paths in the change. */
interface Kept<Name extends string> {
  readonly form: FormState<Name>;
  /** Whether a field is not as it is kept; leaving the screen then asks. */
  readonly isChanged: boolean;
  /** What a field holds, without spaces around it. */
  typed(path: Name): string;
  /** Shows what is kept after a change. */
  show(next: Readonly<Record<Name, string>>): void;
}

/** The fields that begin as they are kept. */
export function useKept<Name extends string>(kept: Readonly<Record<Name, string>>): Kept<Name> {
  const form = useForm<Name>(kept, "mail.change");
  const paths = Object.keys(kept) as Name[];
  const typed = (path: Name) => form.values[path].value.trim();
  const isChanged = paths.some((path) => typed(path) !== kept[path]);
  useLeaveQuestion(() => (isChanged ? t.leave : undefined));
  return {
    form,
    isChanged,
    typed,
    show(next) {
      for (const path of paths) form.values[path].value = next[path];
    },
  };
}
