/** All commands, in the order of the help. */
import { archiveCommand } from "./archive.ts";
import { backupCommand } from "./backup.ts";
import { clockCommand } from "./clock.ts";
import type { Command } from "./command.ts";
import { companyCommands } from "./company.ts";
import { demoCommand } from "./demo.ts";
import { listenCommand } from "./forward.ts";
import { headsCommand } from "./heads.ts";
import { importSaftCommand } from "./import-saft.ts";
import { initCommand } from "./init.ts";
import { keyCommands } from "./key.ts";
import { mailCommands } from "./mail.ts";
import { openapiCommand } from "./openapi.ts";
import { pdfCommand } from "./pdf.ts";
import { restoreCommand } from "./restore.ts";
import { saftCommand } from "./saft.ts";
import { seriesCommands } from "./series.ts";
import { serveCommand } from "./serve.ts";
import { signerCommands } from "./signer.ts";
import { statusCommand } from "./status.ts";
import { triggerCommand } from "./trigger.ts";
import { unarchiveCommand } from "./unarchive.ts";
import { userCommands } from "./user.ts";
import { verifyCommand } from "./verify.ts";
import { versionCommand } from "./version.ts";

export const COMMANDS: readonly Command[] = [
  demoCommand,
  initCommand,
  serveCommand,
  statusCommand,
  ...companyCommands,
  ...keyCommands,
  ...userCommands,
  ...seriesCommands,
  ...signerCommands,
  pdfCommand,
  saftCommand,
  verifyCommand,
  headsCommand,
  importSaftCommand,
  backupCommand,
  restoreCommand,
  archiveCommand,
  unarchiveCommand,
  clockCommand,
  ...mailCommands,
  listenCommand,
  triggerCommand,
  openapiCommand,
  versionCommand,
];
