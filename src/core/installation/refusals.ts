/** The texts of this room's refusals. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  nothing_to_confirm: [
    "Isto não é uma cópia de segurança restaurada: não há nada a confirmar.",
    "This is not a restored backup: there is nothing to confirm.",
  ],
  series_are_unknown: [
    "Este ficheiro não tem nenhuma série de {numbers:list}: se foi aberta depois da cópia, confirme-a como perdida.",
    "This file has no series of {numbers:list}: if opened after the backup, confirm that as lost.",
  ],
});
