/** A field that searches while one types (the ARIA pattern "combobox with a list popup"). */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../words/texts.ts";

const t = texts({
  none: ["Nada encontrado.", "Nothing found."],
  found: ["{count} {count|resultado|resultados}", "{count} {count|result|results}"],
});

/** How long typing must pause before the server is asked, in milliseconds. */
const REST_MS = 120;

export interface ComboboxProps<Item> {
  readonly id?: string | undefined;
  readonly label: string;
  /** The text in the field. */
  readonly text: Signal<string>;
  /** Called with each new text. */
  readonly onTyped?: (text: string) => void;
  /** Finds items for a text. Called when typing pauses; an answer that arrives after a later question is dropped. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  readonly show: (item: Item) => ComponentChildren;
  readonly onChoose: (item: Item) => void;
  /** Offered below the results if nothing matches the text: creating it in place. */
  readonly offer?: (text: string) => string | undefined;
  readonly onOffer?: (text: string) => void;
  readonly placeholder?: string;
  readonly shortcut?: string;
  readonly describedBy?: string | undefined;
  readonly invalid?: boolean;
  /** What the up arrow does in an empty field. */
  readonly onUp?: () => void;
  /** Also searches for an empty field, once it has the focus. */
  readonly opensEmpty?: boolean;
  /**
   * Takes a text whose Enter came before its answer, so that the field is free for the next one: a scanner does not
   * wait. Returns whether something was found; if not, the text returns to the field, unless that has another by then.
   */
  readonly onAhead?: (text: string) => Promise<boolean>;
}

interface Found<Item> {
  readonly items: readonly Item[];
  readonly text: string;
}

/** Asks for one text at a time; an answer that arrives after a later question is dropped. */
function useSearch<Item>(find: ComboboxProps<Item>["find"]) {
  const found = useSignal<Found<Item> | undefined>(undefined);
  /** The index of the marked result; after the last one comes the offer. */
  const marked = useSignal(0);
  const asked = useRef<{ readonly text: string; readonly answer: Promise<Found<Item> | undefined> } | undefined>(
    undefined,
  );
  const ends = useRef<AbortController | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const wait = () => clearTimeout(timer.current);
  const stop = () => {
    wait();
    ends.current?.abort();
  };
  useEffect(() => stop, []);

  const send = async (text: string, end: AbortController) => {
    try {
      const items = await find(text, end.signal);
      if (end.signal.aborted) return undefined;
      marked.value = 0;
      found.value = { items, text };
      return found.value;
    } catch {
      if (asked.current?.text === text) asked.current = undefined;
      return undefined;
    }
  };
  const ask = (text: string) => {
    if (asked.current?.text === text) return asked.current.answer;
    stop();
    ends.current = new AbortController();
    const answer = send(text, ends.current);
    asked.current = { text, answer };
    return answer;
  };
  return {
    found,
    marked,
    ask,
    wait,
    askSoon: (text: string) => {
      timer.current = setTimeout(() => void ask(text), REST_MS);
    },
    forget: () => {
      stop();
      asked.current = undefined;
      found.value = undefined;
      marked.value = 0;
    },
  };
}

/** What typing, choosing and keys do. */
function useCombobox<Item>(props: ComboboxProps<Item>) {
  const { text, find, onTyped, onChoose, offer, onOffer, onAhead, opensEmpty = false } = props;
  const { found, marked, ask, wait, askSoon, forget } = useSearch(find);
  const isOpen = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const put = (next: string) => {
    text.value = next;
    onTyped?.(next);
  };
  const open = () => {
    isOpen.value = true;
    void ask(text.value);
  };
  const close = () => {
    forget();
    isOpen.value = false;
  };
  // Only once it is known that nothing else matches.
  const offered = () =>
    text.value.trim() === "" || found.value?.text !== text.value ? undefined : offer?.(text.value);
  const count = () => (found.value?.items.length ?? 0) + (offered() ? 1 : 0);
  const choose = (index: number) => {
    const item = found.value?.items[index];
    // Read before closing, which forgets the results.
    const makes = offered() !== undefined;
    close();
    if (item !== undefined) onChoose(item);
    else if (makes) onOffer?.(text.value);
  };
  const goAhead = async (typed: string, take: (text: string) => Promise<boolean>) => {
    close();
    put("");
    if ((await take(typed)) || field.current?.value !== "") return;
    put(typed);
    open();
  };
  const enter = async () => {
    wait();
    const typed = text.value;
    const isAnswered = found.value?.text === typed;
    if (onAhead && !isAnswered) return goAhead(typed, onAhead);
    const answer = isAnswered ? found.value : await ask(typed);
    if (answer && count() > 0) choose(marked.value);
  };
  const move = (by: number) => {
    isOpen.value = true;
    if (!found.value) void ask(text.value);
    const all = count();
    if (all > 0) marked.value = (marked.value + by + all) % all;
    list.current?.children[marked.value]?.scrollIntoView({ block: "nearest" });
  };
  return {
    found,
    marked,
    isOpen,
    field,
    list,
    offered,
    count,
    choose,
    close,
    enter,
    move,
    typed: (next: string) => {
      put(next);
      wait();
      isOpen.value = next.trim() !== "" || opensEmpty;
      if (isOpen.value) askSoon(next);
    },
    focused: () => {
      if (opensEmpty) open();
    },
  };
}

type Acts = Pick<ReturnType<typeof useCombobox>, "isOpen" | "enter" | "move" | "close">;

/** Handles a key; leaves others to the field. */
function pressed(event: KeyboardEvent, { text, onUp }: Pick<ComboboxProps<never>, "text" | "onUp">, does: Acts): void {
  const { isOpen, enter, move, close } = does;
  const acts: Readonly<Record<string, (() => unknown) | false>> = {
    ArrowUp: (text.value === "" && onUp) || (() => move(-1)),
    ArrowDown: () => move(1),
    Enter: (text.value.trim() !== "" || isOpen.value) && enter,
    Escape: isOpen.value && close,
  };
  const act = acts[event.key];
  if (!act || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (event.key === "Escape") event.stopPropagation();
  void act();
}

/** A combobox. Enter takes the marked item, waiting for a pending answer; arrows mark, Escape closes. */
export function Combobox<Item>(props: ComboboxProps<Item>) {
  const { label, text, keyOf, show } = props;
  const does = useCombobox(props);
  const { found, marked, isOpen, field, list, offered, count, choose } = does;
  const own = useId();
  const id = props.id ?? own;
  const shown = isOpen.value && found.value !== undefined;
  useEffect(() => {
    if (shown) list.current?.scrollIntoView({ block: "nearest" });
  }, [shown]);

  const items = found.value?.items ?? [];
  const extra = offered();
  const option = (index: number) => ({
    id: `${id}-${index}`,
    isMarked: index === marked.value,
    onChoose: () => choose(index),
  });
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
        aria-activedescendant={shown && count() > 0 ? option(marked.value).id : undefined}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid ?? false}
        aria-keyshortcuts={props.shortcut}
        autocomplete="off"
        spellcheck={false}
        placeholder={props.placeholder}
        value={text.value}
        onInput={(event) => does.typed(event.currentTarget.value)}
        onKeyDown={(event) => pressed(event, props, does)}
        onFocus={does.focused}
        onBlur={does.close}
      />
      {shown && (
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label}>
          {items.map((item, index) => (
            <Option key={keyOf(item)} {...option(index)}>
              {show(item)}
            </Option>
          ))}
          {extra && (
            <Option {...option(items.length)} class="offer">
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
  readonly isMarked: boolean;
  readonly onChoose: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** One of the results. The field keeps the focus and receives the keys; a mouse may choose here. */
function Option({ id, isMarked, onChoose, class: name, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and hears the keys.
    <div
      id={id}
      class={name}
      role="option"
      tabIndex={-1}
      aria-selected={isMarked}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {children}
    </div>
  );
}
