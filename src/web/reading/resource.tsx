/** Data that a screen reads from the server, in every state: loading, there, empty, refused, offline. */
import { effect, type ReadonlySignal, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../button.tsx";
import { texts } from "../words/texts.ts";
import { Offline, Refusal } from "./api.ts";

const t = texts({
  loading: ["A carregar…", "Loading…"],
  offline: ["Sem ligação ao servidor.", "The server cannot be reached."],
  offline_hint: [
    "Nada se perdeu. Verifique a rede, ou se o programa está a correr, e tente outra vez.",
    "Nothing is lost. Check the network, or whether the program runs, and try again.",
  ],
  late: ["O servidor não respondeu a tempo.", "The server did not answer in time."],
  late_hint: ["Tente outra vez.", "Try again."],
  forbidden: ["O seu perfil não permite ver isto.", "Your role does not allow this."],
  forbidden_hint: ["Peça acesso ao proprietário da conta.", "Ask an owner for access."],
  not_found: ["Não encontrado.", "Not found."],
  failed: ["Não foi possível.", "That did not work."],
  again: ["Tentar outra vez", "Try again"],
});

/** The state of such data: the value stays while it is read again. */
export interface Reading<Value> {
  readonly value?: Value;
  readonly error?: unknown;
  readonly isLoading: boolean;
}

/** Data that is read, and how to read it again. */
export interface Resource<Value> {
  readonly state: ReadonlySignal<Reading<Value>>;
  reload(): void;
  /** Replaces the value by one from an answer. */
  set(value: Value): void;
}

/**
 * Reads data when the screen opens, and again whenever a signal changes that `read` accessed before it first waited. An
 * answer that arrives after a later question is dropped.
 */
export function useResource<Value>(read: (signal: AbortSignal) => Promise<Value>): Resource<Value> {
  const state: Signal<Reading<Value>> = useSignal<Reading<Value>>({ isLoading: true });
  const round = useSignal(0);
  useSignalEffect(() => {
    round.value;
    const ends = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    read(ends.signal).then(
      (value) => {
        if (!ends.signal.aborted) state.value = { value, isLoading: false };
      },
      (error: unknown) => {
        if (!ends.signal.aborted) state.value = { error, isLoading: false };
      },
    );
    return () => ends.abort();
  });
  return {
    state,
    reload: () => {
      round.value++;
    },
    set: (value) => {
      state.value = { value, isLoading: false };
    },
  };
}

/** Waits until the data are read, or reading has failed. */
export const whenRead = <Value,>({ state }: Resource<Value>): Promise<Reading<Value>> =>
  new Promise((resolve) => {
    effect(function (this: { dispose(): void }) {
      if (state.value.isLoading) return;
      resolve(state.value);
      this.dispose();
    });
  });

/** Draws data: the value once it is there, else that it is loading or why it failed. */
export function Loaded<Value>({
  from: { state, reload },
  children,
}: {
  readonly from: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, error, isLoading } = state.value;
  if (error !== undefined) return <Trouble error={error} again={reload} />;
  if (value === undefined) return <Loading />;
  return <div aria-busy={isLoading}>{children(value)}</div>;
}

/** A loading message, shown only after a moment, so that nothing flickers. */
export function Loading() {
  return (
    <p class="notice loading" role="status">
      {t.loading}
    </p>
  );
}

/** Why data cannot be shown, and what to do. */
export function Trouble({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const [title, hint] = wordsOf(error);
  const canHelp = again && !(error instanceof Refusal && ["forbidden", "not_found"].includes(error.code));
  return (
    <div class="notice" role="alert">
      <h2>{title}</h2>
      <p>{hint}</p>
      {canHelp && <Button label={t.again} onClick={again} />}
    </div>
  );
}

/** Whether the page stopped waiting: the browser's own error, whose message is in its own language. */
const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === "TimeoutError";

function wordsOf(error: unknown): readonly [title: string, hint: string] {
  if (error instanceof Offline) return [t.offline, t.offline_hint];
  if (isTimeout(error)) return [t.late, t.late_hint];
  if (error instanceof Refusal && error.code === "forbidden") return [t.forbidden, t.forbidden_hint];
  if (error instanceof Refusal && error.code === "not_found") return [t.not_found, error.message];
  return [t.failed, error instanceof Error ? error.message : String(error)];
}

/** The sentence of an error, for a line under a form or a button. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Offline || isTimeout(error)) return wordsOf(error).join(" ");
  return error instanceof Error ? error.message : String(error);
}

/** The content of an empty list. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
