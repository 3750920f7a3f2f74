import { expect, test } from "vitest";
import { readsLikeCertificateLine } from "../../../src/core/fiscal/certificate-line.ts";

test.each([
  "Processado por programa certificado n.º 1234/AT",
  "Abc4-Processado por programa certificado n.º 0000/AT",
  "Emitido por programa certificado",
  "EMITIDO  POR\nPROGRAMA\tCERTIFICADO Nº 12",
  "emitido-por_programa.certificado",
  "Procéssàdo por prógrama certificàdo",
  "Processado por computador, por programa certificado",
  "Ｐｒｏｃｅｓｓａｄｏ ｐｏｒ ｐｒｏｇｒａｍａ ｃｅｒｔｉｆｉｃａｄｏ",
  "Рrосеssаdо роr рrоgrаmа сеrtіfісаdо", // Cyrillic letters among the Latin ones
  "Ρrοcεssαdο pοr prοgrαmα cεrτιficαdο", // Greek ones
  "Pr0ce55ado por pr0grama cert1f1cad0",
  "Pяocessado por pяograma certificado", // letters turned, hooked, barred or from other languages
  "Processado por programa ƈerƭificado",
  "Processado por programa certiſicado",
  "Processado por programa certiғicado",
  "Þrocessado por þrograma certificado",
  "Processado por progr@ma certif!cado", // signs in the place of letters
  "Proce$$ado por programa ¢€rtif|cado",
  "Processado por programa €ertificado",
  "Emitido! por programa! certificado!",
  "pr0grama certificad0 n.º 1234/AT",
  "Processado por pro\u200bgra\u00adma certificado",
  "programa certificado n.º 1234/AT",
  "Programa certificado 1234/AT",
  "Programa informático certificado nº 7",
])("reads like the certificate line: %s", (text) => {
  expect(readsLikeCertificateLine(text)).toBe(true);
});

test.each([
  "Obrigado pela sua visita. Trocas até 30 dias com talão.",
  "Certificado de habilitações emitido em 2026",
  "Certificado n.º 1234",
  "Diploma emitido no programa de formação certificada",
  "Emitido em 2026! Programa de fidelização: 10 % @ loja, €5 por compra | certificado de oferta",
  "Licença anual de programa certificado pela AT",
  "Processamento de salários por programa",
  "Queijo da Serra certificado DOP, 1 kg",
  "Программа сертифицирована",
  "",
])("does not: %s", (text) => {
  expect(readsLikeCertificateLine(text)).toBe(false);
});
