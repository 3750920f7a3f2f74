/** The field in which people type the password they have. */
import { texts } from "../words/texts.ts";
import { type FormState, TextField } from "./form.tsx";

const t = texts({ password: ["Palavra-passe", "Password"] });

interface PasswordFieldProps {
  readonly form: FormState<"password">;
  readonly autofocus?: boolean;
  readonly wide?: boolean;
}

/** The password of whoever signs in, or confirms that it is them. */
export function PasswordField(props: PasswordFieldProps) {
  return <TextField label={t.password} type="password" autocomplete="current-password" path="password" {...props} />;
}
