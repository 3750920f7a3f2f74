/** What the build computes from the contracts of core and the routes of http; see tools/area.ts. */
declare module "lacre:contracts" {
  /** The door of an operation: its method, its path, and that it answers a file where it does. */
  export type Door = readonly [method: string, path: string, answer?: "file"];
  /** The doors of the operations of a company that have a route: `DOORS.customers.create`. */
  export const DOORS: Doors;
  /** Those of the operations of a person: `PERSON_DOORS.session.open`. */
  export const PERSON_DOORS: Doors;
  type Doors = Readonly<Record<string, Readonly<Record<string, Door>>>>;

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
