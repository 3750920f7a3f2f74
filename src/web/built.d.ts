/** What the build computes from core's contracts and http's routes; see tools/area.ts. */
declare module "lacre:contracts" {
  /** The route of an operation: its method, its path, and whether the answer is a file. */
  export type Route = readonly [method: string, path: string, answer?: "file"];
  /** The routes of the operations of a company: `ROUTES.customers.create`. */
  export const ROUTES: Routes;
  /** The routes of a person's operations: `PERSON_ROUTES.session.open`. */
  export const PERSON_ROUTES: Routes;
  type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

  /** The limits of a field of text or number, under the names of HTML. */
  export interface Limits {
    readonly required?: true;
    readonly maxlength?: number;
    readonly min?: number;
    readonly max?: number;
  }
  /** The limits of the fields of each operation that changes something: `LIMITS["customers.create"].name`. */
  export const LIMITS: Readonly<Record<string, Readonly<Record<string, Limits>>>>;
}
