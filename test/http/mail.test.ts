import { createHash } from "node:crypto";
import type { MailMessage } from "lacre";
import { mailSender } from "lacre/mail";
import { expect, test } from "vitest";
import { anSmtp } from "../support/smtp.ts";

const MESSAGE: MailMessage = {
  message_id: "<0199d3a0@padaria.example>",
  at: new Date("2026-11-21T10:00:00Z"),
  from: { name: "Padaria Conceição, Lda.", address: "faturas@padaria.example" },
  reply_to: "loja@padaria.example",
  to: ["ana@example.com"],
  cc: ["contas@example.com"],
  subject: "Fatura FT 2026A/1 – Padaria Conceição, Lda.",
  text: "Estimado cliente,\n\nEnviamos em anexo a fatura.\n.\nFim.",
  attachments: [{ name: "FT 2026A-1.pdf", type: "application/pdf", content: Buffer.alloc(20_000, "pdf ") }],
};

const digest = (raw: string) => createHash("sha256").update(raw).digest("hex");

test("a message arrives whole, and each attempt is the same to the byte", async () => {
  const smtp = await anSmtp();
  const sender = mailSender(smtp.server);
  for (let i = 0; i < 3; i++) {
    expect(await sender.send(MESSAGE, null)).toEqual({ outcome: "delivered", status: 250, error: null, refused: [] });
  }
  expect(new Set(smtp.taken.map(digest)).size).toBe(1);
  const [raw = ""] = smtp.taken;
  for (const header of [
    "Message-ID: <0199d3a0@padaria.example>",
    "Reply-To: loja@padaria.example",
    "To: ana@example.com",
    "Cc: contas@example.com",
    "Date: Sat, 21 Nov 2026 10:00:00 +0000",
    "Auto-Submitted: auto-generated",
  ]) {
    expect(raw).toContain(header);
  }
  expect(raw).toContain(Buffer.alloc(57, "pdf ").toString("base64"));
});

test.each([
  ["take", { outcome: "delivered", status: 250 }],
  ["delay", { outcome: "delivered", status: 250 }],
  ["busy", { outcome: "failed", status: 451, error: "451 try again" }],
  ["refuse", { outcome: "refused", status: 550, error: "550 no such user" }],
  ["lose", { outcome: "unknown", status: null }],
] as const)("what a server does is told apart: %s", async (deed, answer) => {
  const smtp = await anSmtp();
  smtp.deed = () => deed;
  expect(await mailSender(smtp.server).send(MESSAGE, null)).toMatchObject(answer);
});

test("a server that is not there, or that drops before the message, has not had it", async () => {
  const smtp = await anSmtp({ onMailFrom: (_, session) => void session });
  const gone = { ...smtp.server, port: 1 };
  expect(await mailSender(gone).send(MESSAGE, null)).toMatchObject({ outcome: "failed", status: null });
  const late = mailSender(smtp.server, { timeoutMs: 300 });
  expect(await late.send(MESSAGE, null)).toEqual({ outcome: "failed", status: null, error: "ETIMEDOUT" });
  expect(smtp.taken).toEqual([]);
});

test("whoever waits for the answer is told in time, whatever the sender's own patience", async () => {
  const smtp = await anSmtp({ onMailFrom: (_, session) => void session });
  const patient = mailSender(smtp.server, { timeoutMs: 200_000 });
  const answer = await patient.send(MESSAGE, null, { timeoutMs: 300 });
  expect(answer).toEqual({ outcome: "failed", status: null, error: "ETIMEDOUT" });
});

test("a recipient that is refused leaves the others theirs, and is told", async () => {
  const smtp = await anSmtp({
    onRcptTo({ address }, _, done) {
      done(address.startsWith("contas") ? Object.assign(new Error("unknown"), { responseCode: 550 }) : null);
    },
  });
  const answer = await mailSender(smtp.server).send(MESSAGE, null);
  expect(answer).toMatchObject({ outcome: "delivered", refused: ["contas@example.com"] });
});

test("without TLS nothing is sent unless told so, and no password is told", async () => {
  const smtp = await anSmtp();
  const secret = { ...smtp.server, user: "ana", password: "s3cr3t-word" };
  for (const security of ["starttls", "tls"] as const) {
    const answer = await mailSender({ ...secret, security }).send(MESSAGE, null);
    expect(answer).toMatchObject({ outcome: "failed" });
    expect(JSON.stringify(answer)).not.toContain("s3cr3t");
  }
  expect(smtp.taken).toEqual([]);
});

test("a wrong login is tried again later, and what the server says of it is not told", async () => {
  const smtp = await anSmtp({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) => done(new Error(`wrong password ${password}`)),
  });
  const answer = await mailSender({ ...smtp.server, user: "ana", password: "s3cr3t-word" }).send(MESSAGE, null);
  expect(answer).toEqual({ outcome: "failed", status: 535, error: "EAUTH" });
});

test("without a server of the operator's, the company's own is taken; without both it fails", async () => {
  const smtp = await anSmtp();
  expect(mailSender().from).toBeNull();
  expect(await mailSender().send(MESSAGE, smtp.server)).toMatchObject({ outcome: "delivered" });
  expect(await mailSender().send(MESSAGE, null)).toEqual({ outcome: "failed", status: null, error: "no_server" });
});
