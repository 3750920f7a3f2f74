/** The field for an existing password. */
import { texts } from "../words/texts.ts";
import { TextField, type TextFieldProps } from "./form.tsx";

const t = texts({ password: ["Palavra-passe", "Password"] });

/** The password of a person who signs in, or confirms their identity. */
export function PasswordField(props: Pick<TextFieldProps, "autofocus" | "wide">) {
  return <TextField label={t.password} type="password" autocomplete="current-password" path="password" {...props} />;
}
