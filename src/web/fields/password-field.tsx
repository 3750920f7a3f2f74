/** The field in which people type the password they have. */
import { texts } from "../words/texts.ts";
import { TextField, type TextFieldProps } from "./form.tsx";

const t = texts({ password: ["Palavra-passe", "Password"] });

/** The password of whoever signs in, or confirms that it is them. */
export function PasswordField(props: Pick<TextFieldProps, "autofocus" | "wide">) {
  return <TextField label={t.password} type="password" autocomplete="current-password" path="password" {...props} />;
}
