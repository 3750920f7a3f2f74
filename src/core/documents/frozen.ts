/** The JSON that an issued document keeps of its customer, issuer and transport. */
import type { CustomerSnapshot, Issuer, Transport } from "./document.ts";

/** The customer as stored in `documents.customer`. */
export const parseCustomer = (json: string): CustomerSnapshot => JSON.parse(json);

/** The issuer as stored in `documents.issuer`. */
export const parseIssuer = (json: string): Issuer => JSON.parse(json);

/** The transport as stored in `documents.transport`. */
export const parseTransport = (json: string): Transport => JSON.parse(json);
