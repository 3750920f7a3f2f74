/** Forms: fields with a label, a hint and an error, and limits that come from the contract of the operation. */
import { LIMITS, type Limits } from "lacre:contracts";
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Refusal } from "./api.ts";
import { texts } from "./language.ts";
import { sentenceOf } from "./resource.tsx";

const t = texts({
  required: ["obrigatório", "required"],
  optional: ["opcional", "optional"],
});

/** Thrown where a person went back instead of going on: nothing was changed, and nothing is wrong. */
export class WentBack extends Error {}

/** The state of a form: what its fields say is wrong, and whether it is being sent. */
export interface FormState {
  /** What is wrong, by the path of a field; under the empty path, what no field shows. */
  readonly errors: Signal<Readonly<Record<string, string>>>;
  readonly isSending: Signal<boolean>;
  /** Runs a change once at a time. A refusal goes to the fields it names. Tells whether the change was made. */
  send(change: () => Promise<unknown>): Promise<boolean>;
}

/** The state of a new form. */
export function useForm(): FormState {
  const errors = useSignal<Readonly<Record<string, string>>>({});
  const isSending = useSignal(false);
  return {
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

/** Takes a new value of a field; what was wrong with the old one no longer counts. */
function put({ errors }: FormState, path: string, value: Signal<string>, given: string): void {
  value.value = given;
  const { [path]: wrong, ...others } = errors.peek();
  if (wrong !== undefined) errors.value = others;
}

interface FormProps {
  readonly state: FormState;
  readonly onSubmit: () => void;
  /** The paths that a field of this form shows; problems of all others are shown above the buttons. */
  readonly fields: readonly string[];
  /** The buttons. */
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A form. The browser's own bubbles are off: the server's sentence stands under the field. */
export function Form({ state, onSubmit, fields, actions, children, class: name }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const before = document.activeElement;
    await onSubmit();
    const [wrong] = form.current?.querySelectorAll<HTMLElement>("[aria-invalid=true]") ?? [];
    // A button that was disabled meanwhile lost the focus.
    const lost = document.activeElement === document.body && before instanceof HTMLElement ? before : undefined;
    (wrong ?? lost)?.focus();
  };
  const others = Object.entries(state.errors.value).filter(([path]) => !fields.includes(path));
  return (
    <form ref={form} noValidate onSubmit={submit} class={name} aria-busy={state.isSending.value}>
      {children}
      {others.length > 0 && (
        <p class="problem" role="alert">
          {others.map(([path, sentence]) => (path ? `${path}: ${sentence}` : sentence)).join("; ")}
        </p>
      )}
      <div class="actions">{actions}</div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly required?: boolean | undefined;
  readonly class?: string;
  /** The control, given the names it must bear. */
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
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
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
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly class?: string | undefined;
}

export interface TextFieldProps extends InputProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly form: FormState;
  /** The path of the field in the operation's input; it finds the error and the limits. */
  readonly path: string;
  /** The operation whose contract limits it: `customers.create`. */
  readonly of?: string;
  readonly hint?: ComponentChildren;
  readonly wide?: boolean;
  /** How many lines are shown of a text of several lines. */
  readonly lines?: number;
  /** Where the contract does not say so. */
  readonly required?: boolean;
}

/** The limits of a field of an operation; none where the contract has none. */
export const limitsOf = (operation: string | undefined, path: string): Limits =>
  (operation && LIMITS[operation]?.[path]) || {};

/** A field for text: of one line, or of several. */
export function TextField(props: TextFieldProps) {
  const { label, value, form, path, of, hint, wide = false, lines, required, ...input } = props;
  const limits = limitsOf(of, path);
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (input.autofocus) control.current?.focus(); // A browser does so only for what is there when the dialog opens.
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

interface SelectFieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly form: FormState;
  readonly path: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly hint?: ComponentChildren;
  readonly wide?: boolean;
  /** What else follows from the choice. */
  readonly onChange?: (value: string) => void;
}

/** A field with a few known values. */
export function SelectField(props: SelectFieldProps) {
  const { label, value, form, path, options, hint, wide = false, onChange } = props;
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
          {options.map(([option, shown]) => (
            <option key={option} value={option}>
              {shown}
            </option>
          ))}
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
