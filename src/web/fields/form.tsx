/** Forms: fields with a label, a hint and an error, and limits from the operation's contract. */
import { LIMITS, type Limits } from "lacre:contracts";
import { type Signal, signal } from "@preact/signals";
import { type ComponentChildren, createContext, type TargetedSubmitEvent } from "preact";
import { useContext, useEffect, useId, useMemo, useRef } from "preact/hooks";
import { Button } from "../button.tsx";
import { Refusal } from "../reading/api.ts";
import { sentenceOf } from "../reading/resource.tsx";
import { texts } from "../words/texts.ts";

const t = texts({
  required: ["obrigatório", "required"],
  back: ["Voltar", "Back"],
});

/** Thrown when a person goes back: nothing was changed, and nothing is wrong. */
export class WentBack extends Error {}

/** The state of a form: the typed values, the errors of its fields, and whether it is being sent. */
export interface FormState<Name extends string = string> {
  /** The typed values, by the path of each field. */
  readonly values: Readonly<Record<Name, Signal<string>>>;
  /** The operation whose contract limits the fields: `customers.create`. */
  readonly of?: string | undefined;
  /** The errors, by the path of a field; under the empty path those that no field shows. */
  readonly errors: Signal<Readonly<Record<string, string>>>;
  readonly isSending: Signal<boolean>;
  /** Runs one change at a time. A refusal goes to the fields it names. Returns whether the change was made. */
  send(change: () => Promise<unknown>): Promise<boolean>;
}

/** The state of a new form: its fields with their initial values, and the operation that it is sent to. */
export function useForm<Name extends string = never>(
  first = {} as Readonly<Record<Name, string>>,
  of?: string,
): FormState<Name> {
  return useMemo(() => formOf(first, of), []);
}

function formOf<Name extends string>(first: Readonly<Record<Name, string>>, of?: string): FormState<Name> {
  const errors = signal<Readonly<Record<string, string>>>({});
  const isSending = signal(false);
  const values = Object.entries<string>(first).map(([path, value]) => [path, signal(value)]);
  return {
    values: Object.fromEntries(values) as Record<Name, Signal<string>>,
    of,
    errors,
    isSending,
    async send(change) {
      if (isSending.value) return false;
      isSending.value = true;
      errors.value = {};
      try {
        await change();
        return true;
      } catch (error) {
        if (error instanceof Refusal) errors.value = error.byField;
        else if (!(error instanceof WentBack)) errors.value = { "": sentenceOf(error) };
        return false;
      } finally {
        isSending.value = false;
      }
    },
  };
}

const Around = createContext<FormState>(formOf({}));

/** Gives fields outside a form the state that they show. */
export const FieldsOf = Around.Provider;

/** The typed values, by the path of each field. */
export const typedIn = <Name extends string>({ values }: FormState<Name>) =>
  Object.fromEntries(Object.entries<Signal<string>>(values).map(([path, { value }]) => [path, value])) as Record<
    Name,
    string
  >;

/** Sets a field's value; the error of the old one no longer counts. */
function put({ errors }: FormState, path: string, value: Signal<string>, given: string): void {
  value.value = given;
  const { [path]: wrong, ...others } = errors.peek();
  if (wrong !== undefined) errors.value = others;
}

interface FormProps {
  readonly state: FormState;
  readonly onSubmit: () => unknown;
  /** The label of the button that sends it. */
  readonly submit: ComponentChildren;
  readonly canSubmit?: boolean;
  /** Leaves the form, by a button of its own. */
  readonly onBack?: (() => void) | undefined;
  /** The label of that button. */
  readonly back?: string | undefined;
  /** Other buttons, before these. */
  readonly actions?: ComponentChildren;
  /** Further paths that the form shows; problems of all others appear above the buttons. */
  readonly also?: readonly string[];
  readonly children?: ComponentChildren;
  readonly class?: string;
}

/** A form. The browser's own bubbles are off: the server's sentence stands under the field. */
export function Form(props: FormProps) {
  const { state, onSubmit, submit, canSubmit = true, onBack, back = t.back, actions, also = [], children } = props;
  const form = useRef<HTMLFormElement>(null);
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const before = document.activeElement;
    await onSubmit();
    const [wrong] = form.current?.querySelectorAll<HTMLElement>("[aria-invalid=true]") ?? [];
    // A button that was disabled meanwhile lost the focus.
    const lost = document.activeElement === document.body && before instanceof HTMLElement ? before : undefined;
    (wrong ?? lost)?.focus();
  };
  const others = Object.entries(state.errors.value).filter(([path]) => !(path in state.values || also.includes(path)));
  return (
    <form ref={form} noValidate onSubmit={send} class={props.class} aria-busy={state.isSending.value}>
      <FieldsOf value={state}>{children}</FieldsOf>
      <Problem>{others.map(([path, said]) => (path ? `${path}: ${said}` : said)).join("; ")}</Problem>
      <div class="actions">
        {actions}
        {onBack && <Button label={back} onClick={onBack} />}
        <button type="submit" class="main" disabled={state.isSending.value || !canSubmit}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** What went wrong, below the action; nothing without a problem. */
export function Problem({ children }: { readonly children: ComponentChildren }) {
  return children ? (
    <p class="problem" role="alert">
      {children}
    </p>
  ) : null;
}

/** The problem of a form without fields. */
export const FormProblem = ({ of }: { readonly of: FormState }) => (
  <Problem>{Object.values(of.errors.value).join("; ")}</Problem>
);

interface FieldErrorProps {
  readonly text: string | undefined;
  readonly id?: string;
  /** Whether a screen reader speaks it at once, wherever the focus is. */
  readonly alert?: boolean;
}

/** The error of a field, below it; nothing without one. */
export const FieldError = ({ text, id, alert = false }: FieldErrorProps) =>
  text ? (
    <p class="error" id={id} role={alert ? "alert" : undefined}>
      {text}
    </p>
  ) : null;

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly required?: boolean | undefined;
  readonly class?: string;
  /** The control, with the names it must have. */
  readonly children: (names: ControlNames) => ComponentChildren;
}

/** The attributes that tie a control to its label, hint and error. */
export interface ControlNames {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
  readonly "aria-required": boolean;
}

/** A labelled control with its hint and its error. */
export function Field({ label, hint, error, required = false, class: name = "", children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div class={`field ${name}`}>
      <label for={id}>
        {label}
        {required && (
          <span class="required" title={t.required}>
            {" *"}
          </span>
        )}
      </label>
      {children({ id, "aria-describedby": described, "aria-invalid": error !== undefined, "aria-required": required })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} text={error} />
    </div>
  );
}

/** The attributes of a field of text that a screen may set. */
interface InputProps {
  readonly type?: "text" | "email" | "tel" | "password" | "date" | "month" | "datetime-local" | undefined;
  readonly inputmode?: "decimal" | "numeric" | undefined;
  readonly autocomplete?: string | undefined;
  readonly autofocus?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** Can be read and copied, not changed. */
  readonly readonly?: boolean | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly class?: string | undefined;
}

export interface TextFieldProps extends InputProps {
  readonly label: string;
  /** The path of the field in the operation's input: the surrounding form has the value, the error and the limits. */
  readonly path: string;
  /** The value, if the form does not hold it. */
  readonly value?: Signal<string>;
  readonly hint?: ComponentChildren;
  readonly wide?: boolean;
  /** How many lines of a longer text are shown. */
  readonly lines?: number;
  /** Whether it is required, if the contract does not say so. */
  readonly required?: boolean;
}

/** The limits of a field of an operation; none if the contract has none. */
export const limitsOf = (operation: string | undefined, path: string): Limits =>
  (operation && LIMITS[operation]?.[path]) || {};

const valueIn = (form: FormState, path: string): Signal<string> => form.values[path] as Signal<string>;

/** A field for text: of one line, or of several. */
export function TextField(props: TextFieldProps) {
  const form = useContext(Around);
  const { label, path, value = valueIn(form, path), hint, wide = false, lines, required, ...input } = props;
  const limits = limitsOf(form.of, path);
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (input.autofocus) control.current?.focus(); // A browser does so only for elements that exist when the dialog opens.
  }, []);
  return (
    <Field
      label={label}
      hint={hint}
      error={form.errors.value[path]}
      required={limits.required ?? required}
      class={wide ? "wide" : ""}
    >
      {(names) => {
        const shared = {
          ...names,
          ref: control,
          autocomplete: input.autocomplete ?? "off",
          maxlength: limits.maxlength,
          value: value.value,
          onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
            put(form, path, value, event.currentTarget.value),
        };
        if (lines !== undefined) return <textarea {...shared} rows={lines} />;
        // Preact's types know one element for each type.
        return <input {...(input as { type: "text" })} {...shared} type={(input.type ?? "text") as "text"} />;
      }}
    </Field>
  );
}

/** Binds a control to a signal: its value, and what typing does. `<input {...bound(notes)} />` */
export const bound = (value: Signal<string>) => ({
  value: value.value,
  onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
    value.value = event.currentTarget.value;
  },
});

/** The choices of a `select`. */
export const Options = ({ of }: { readonly of: Choices }) =>
  of.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

/** Values with their labels. */
export type Choices = readonly (readonly [value: string, label: string])[];

interface SelectFieldProps {
  readonly label: string;
  readonly path: string;
  /** The value, if the form does not hold it. */
  readonly value?: Signal<string>;
  readonly options: Choices;
  readonly hint?: ComponentChildren;
  readonly wide?: boolean;
  /** Called with each choice. */
  readonly onChange?: (value: string) => void;
}

/** A field with a few known values. */
export function SelectField(props: SelectFieldProps) {
  const form = useContext(Around);
  const { label, path, value = valueIn(form, path), options, hint, wide = false, onChange } = props;
  return (
    <Field label={label} hint={hint} error={form.errors.value[path]} class={wide ? "wide" : ""}>
      {(names) => (
        <select
          {...names}
          value={value.value}
          onChange={(event) => {
            put(form, path, value, event.currentTarget.value);
            onChange?.(value.value);
          }}
        >
          <Options of={options} />
        </select>
      )}
    </Field>
  );
}

/** A yes or no. */
export function Check({
  label,
  value,
  hint,
}: {
  readonly label: string;
  readonly value: Signal<boolean>;
  readonly hint?: string;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked;
        }}
      />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </label>
  );
}
