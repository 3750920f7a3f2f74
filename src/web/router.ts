/** The screen of the address, and navigation without loading the page again. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AREA_PATH } from "./reading/api.ts";

/** The address below the area: `/documents/…`, `/` at home. */
export const path = signal(pathShown());
/** The fields after the `?` of the address. */
export const search = signal(new URLSearchParams(location.search));

function pathShown(): string {
  return `/${location.pathname.slice(AREA_PATH.length)}`;
}

/** Counts every visit by link or button, also to the screen already shown. */
export const visits = signal(0);

/** Whether the screen holds what somebody wrote, and must stay when the session ends. */
export const holdsWork = signal(false);

type Question = () => string | undefined;

/** What leaving the screen would lose, each a sentence to confirm, or undefined. */
const questions = new Set<Question>();

/** Asks the person before the screen is left, if the question is a sentence. */
export function useLeaveQuestion(ask: Question): void {
  useEffect(() => {
    questions.add(ask);
    return () => void questions.delete(ask);
  });
}

/** The question before the screen is left; undefined if nothing would be lost. */
export function leaveQuestion(): string | undefined {
  for (const ask of questions) {
    const asked = ask();
    if (asked !== undefined) return asked;
  }
  return undefined;
}

function mayLeave(): boolean {
  const asked = leaveQuestion();
  return asked === undefined || confirm(asked);
}

/** The address of a screen, for a link: `href("/customers")`. */
export const href = (to: string): string => AREA_PATH.slice(0, -1) + to;

/** Goes to a screen. With `replace` the back button skips the current one. */
export function go(to: string, { replace = false } = {}): void {
  if (!replace && !mayLeave()) return;
  history[replace ? "replaceState" : "pushState"](null, "", href(to));
  show();
  visits.value++;
  scrollTo(0, 0);
}

/** Changes the fields of the address without leaving the screen; empty ones are dropped. */
export function setSearch(fields: Readonly<Record<string, string | undefined>>): void {
  const next = new URLSearchParams(search.value);
  for (const [name, value] of Object.entries(fields)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  history.replaceState(null, "", location.pathname + (next.size > 0 ? `?${next}` : ""));
  search.value = next;
}

function show(): void {
  path.value = pathShown();
  search.value = new URLSearchParams(location.search);
}

/** The part of the path at an index: of `/documents/1`, 0 is `documents` and 1 is `1`. */
export const part = (index: number) => computed(() => path.value.split("/")[index + 1] || undefined);

/** The browser went back or forward: if something would be lost, the address returns to the current screen. */
function moved(): void {
  const from = href(path.value) + (search.value.size > 0 ? `?${search.value}` : "");
  if (mayLeave()) show();
  else history.pushState(null, "", from);
}

/** Follows links of the area, and the browser's back and forward. Called once. */
export function startRouter(): void {
  addEventListener("popstate", moved);
  addEventListener("beforeunload", (event) => {
    if (leaveQuestion() !== undefined) event.preventDefault();
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = (event.target as Element | null)?.closest("a");
    if (!link || link.target || link.download || !link.href.startsWith(new URL(AREA_PATH, location.href).href)) return;
    event.preventDefault();
    go(`/${link.href.slice(new URL(AREA_PATH, location.href).href.length)}`);
  });
}
