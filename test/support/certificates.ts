/** Certificates of authorities of a test's own. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Whether certificates can be made here. */
export const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;

function openssl(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** Makes `NAME.crt` and `NAME.key`, signed by `by` or by itself. */
export function certify(directory: string, name: string, subject: string, { by, for: host = "" } = {} as Signed): void {
  const file = (ending: string) => join(directory, `${name}.${ending}`);
  openssl(
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${subject}`],
    ...["-keyout", file("key"), "-out", file("crt")],
    ...(by ? ["-CA", join(directory, `${by}.crt`), "-CAkey", join(directory, `${by}.key`)] : []),
    ...(host ? ["-addext", `subjectAltName=${host}`] : []),
  );
}

interface Signed {
  readonly by?: string;
  readonly for?: string;
}
