/** Who is signed in, the company they work in, and what they may do there. */
import { computed, signal } from "@preact/signals";
import type { AnyPermission } from "../core/runtime/permissions.ts";
import type { Lang } from "../core/texts/languages.ts";
import { announce } from "./notice.tsx";
import { companyId, endOfSession, person, Refusal } from "./reading/api.ts";
import { sentenceOf } from "./reading/resource.tsx";
import { holdsWork, leaveQuestion } from "./router.ts";
import { chooseLanguage, language } from "./words/language.ts";

/** The user who is signed in, and the companies they work in. */
export type Session = Awaited<ReturnType<typeof person.session.get>>;
/** A company that the user works in. */
export type Membership = Session["companies"][number];

/** Undefined until the server answers; null if nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

const KEPT_AS = "lacre.company";
const chosen = signal(localStorage.getItem(KEPT_AS));

/** The current company: the one chosen before, else the first. */
export const company = computed<Membership | undefined>(() => {
  const companies = session.value?.companies ?? [];
  return companies.find(({ id }) => id === chosen.value) ?? companies[0];
});

/** Switches to another company. */
export function chooseCompany(id: string): void {
  localStorage.setItem(KEPT_AS, id);
  chosen.value = id;
  companyId.value = company.value?.id;
}

/** Whether the user may do this in the company. */
export const can = (permission: AnyPermission): boolean => company.value?.permissions.includes(permission) ?? false;

/** Takes a session from an answer. */
export function takeSession(given: Session | null): void {
  const wanted = given?.user.language;
  if (wanted && wanted !== language.value) chooseLanguage(wanted);
  isEnded.value = false;
  session.value = given;
  companyId.value = company.value?.id;
}

/** Asks the server who is signed in. Throws `Offline` when it does not answer. */
export async function loadSession(): Promise<void> {
  try {
    takeSession(await person.session.get());
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "unauthorized") throw error;
    takeSession(null);
  }
}

/** Shows the page in another language, and stores it for the user; reports if the server did not. */
export async function keepLanguage(chosen: Lang): Promise<void> {
  chooseLanguage(chosen);
  try {
    if (session.value) await person.session.changeLanguage({ language: chosen });
  } catch (error) {
    announce(sentenceOf(error));
  }
}

/** Ends the session here. */
export async function signOut(): Promise<void> {
  await person.session.close().catch(() => {});
  takeSession(null);
}

/** Whether the session ended while the screen held unsaved work; the same person can then sign in over it. */
export const isEnded = signal(false);

endOfSession.subscribe((refusal) => {
  if (refusal === undefined) return;
  if (session.peek() && (holdsWork.peek() || leaveQuestion() !== undefined)) isEnded.value = true;
  else takeSession(null);
});
