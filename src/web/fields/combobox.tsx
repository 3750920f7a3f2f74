/** A field that finds as one types (the ARIA pattern "combobox with a list popup"). */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../words/texts.ts";

const t = texts({
  none: ["Nada encontrado.", "Nothing found."],
  found: ["{count} {count|resultado|resultados}", "{count} {count|result|results}"],
});

/** How long typing rests before the server is asked, in milliseconds. */
const REST_MS = 120;

export interface ComboboxProps<Item> {
  readonly id?: string | undefined;
  readonly label: string;
  /** The text in the field. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Finds items for a text. Called when typing rests; an answer that comes after a later question is dropped. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  readonly show: (item: Item) => ComponentChildren;
  readonly onChoose: (item: Item) => void;
  /** Offered below what was found, for a text that nothing fits: making it in place. */
  readonly offer?: ((text: string) => string | undefined) | undefined;
  readonly onOffer?: ((text: string) => void) | undefined;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
  readonly shortcut?: string;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean;
  /** What the arrow up does in a field without text. */
  readonly onUp?: () => void;
  /** Also finds for an empty field, once it has the focus. */
  readonly opensEmpty?: boolean;
  /**
   * Takes a text whose Enter came before its answer, so that the field is free for the next one: a scanner does not
   * wait. Answers whether something was found; else the text comes back to the field, unless that has another by then.
   */
  readonly onAhead?: (text: string) => Promise<boolean>;
}

interface Found<Item> {
  readonly items: readonly Item[];
  readonly text: string;
}

/** A combobox. Enter takes the marked item, waiting for the answer under way; arrows mark, Escape closes. */
export function Combobox<Item>(props: ComboboxProps<Item>) {
  const { label, text, onText, find, keyOf, show, onChoose, offer, onOffer, opensEmpty = false } = props;
  const own = useId();
  const id = props.id ?? own;
  const found = useSignal<Found<Item> | undefined>(undefined);
  const marked = useSignal(0);
  const isOpen = useSignal(false);
  const asked = useRef<{ readonly text: string; readonly answer: Promise<Found<Item> | undefined> } | undefined>(
    undefined,
  );
  const ends = useRef<AbortController | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => () => stop(), []);

  function stop(): void {
    clearTimeout(timer.current);
    ends.current?.abort();
  }

  function ask(wanted: string): Promise<Found<Item> | undefined> {
    if (asked.current?.text === wanted) return asked.current.answer;
    stop();
    const end = new AbortController();
    ends.current = end;
    const answer = find(wanted, end.signal).then(
      (items) => {
        if (end.signal.aborted) return undefined;
        marked.value = 0;
        found.value = { items, text: wanted };
        return found.value;
      },
      () => {
        if (asked.current?.text === wanted) asked.current = undefined;
        return undefined;
      },
    );
    asked.current = { text: wanted, answer };
    return answer;
  }

  function typed(next: string): void {
    onText(next);
    clearTimeout(timer.current);
    isOpen.value = next.trim() !== "" || opensEmpty;
    if (isOpen.value) timer.current = setTimeout(() => void ask(next), REST_MS);
  }

  // Not before it is known that nothing else fits.
  const offered = () => (text.trim() === "" || found.value?.text !== text ? undefined : offer?.(text));
  const count = () => (found.value?.items.length ?? 0) + (offered() ? 1 : 0);

  function choose(items: readonly Item[], index: number): void {
    const item = items[index];
    // Asked before closing, which forgets what was found.
    const makes = offered() !== undefined;
    close();
    if (item !== undefined) onChoose(item);
    else if (makes) onOffer?.(text);
  }

  function close(): void {
    stop();
    asked.current = undefined;
    found.value = undefined;
    isOpen.value = false;
    marked.value = 0;
  }

  async function enter(): Promise<void> {
    clearTimeout(timer.current);
    if (props.onAhead && found.value?.text !== text) {
      close();
      onText("");
      const isTaken = await props.onAhead(text);
      if (!isTaken && field.current?.value === "") {
        onText(text);
        isOpen.value = true;
        void ask(text);
      }
      return;
    }
    const answer = found.value?.text === text ? found.value : await ask(text);
    if (answer && count() > 0) choose(answer.items, marked.value);
  }

  function move(by: number): void {
    isOpen.value = true;
    if (!found.value) void ask(text);
    const all = count();
    if (all > 0) marked.value = (marked.value + by + all) % all;
    list.current?.children[marked.value]?.scrollIntoView({ block: "nearest" });
  }

  function pressed(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowUp" && text === "" && props.onUp) {
      event.preventDefault();
      props.onUp();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && (text.trim() !== "" || isOpen.value)) {
      event.preventDefault();
      void enter();
    } else if (event.key === "Escape" && isOpen.value) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  const shown = isOpen.value && found.value !== undefined;
  useEffect(() => {
    if (shown) list.current?.scrollIntoView({ block: "nearest" });
  }, [shown]);

  const items = found.value?.items ?? [];
  const extra = offered();
  const option = (index: number) => `${id}-${index}`;
  const chooseAt = (index: number) => choose(items, index);
  return (
    <div class="combobox">
      <input
        ref={field}
        id={id}
        type="text"
        role="combobox"
        aria-label={props.id ? undefined : label}
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={shown ? `${id}-list` : undefined}
        aria-activedescendant={shown && count() > 0 ? option(marked.value) : undefined}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid ?? false}
        aria-keyshortcuts={props.shortcut}
        autocomplete="off"
        spellcheck={false}
        placeholder={props.placeholder}
        autofocus={props.autofocus}
        value={text}
        onInput={(event) => typed(event.currentTarget.value)}
        onKeyDown={pressed}
        onFocus={() => {
          if (!opensEmpty) return;
          isOpen.value = true;
          void ask(text);
        }}
        onBlur={close}
      />
      {shown && (
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label}>
          {items.map((item, index) => (
            <Option key={keyOf(item)} id={option(index)} index={index} marked={marked.value} onChoose={chooseAt}>
              {show(item)}
            </Option>
          ))}
          {extra && (
            <Option
              id={option(items.length)}
              index={items.length}
              marked={marked.value}
              onChoose={chooseAt}
              class="offer"
            >
              {extra}
            </Option>
          )}
          {items.length === 0 && !extra && (
            <div role="option" tabIndex={-1} aria-selected={false} aria-disabled>
              {t.none}
            </div>
          )}
        </div>
      )}
      <span class="unseen" aria-live="polite">
        {shown && found.value ? t.found({ count: items.length }) : ""}
      </span>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly index: number;
  readonly marked: number;
  readonly onChoose: (index: number) => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** One of the found. The field keeps the focus and hears the keys; a mouse may choose here. */
function Option({ id, index, marked, onChoose, class: name, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and hears the keys.
    <div
      id={id}
      class={name}
      role="option"
      tabIndex={-1}
      aria-selected={index === marked}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(index)}
    >
      {children}
    </div>
  );
}
