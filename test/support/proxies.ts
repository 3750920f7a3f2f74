/** nginx and Caddy as docs/operating.md says to set them up, in front of a server of a test's own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "./until.ts";

const PAGE = readFileSync("docs/operating.md", "utf8");

/** Texts of a recipe, and what a test has in their place. */
export type Changes = Readonly<Record<string, string>>;

/** A recipe with other texts in it. Throws where it does not hold one of those that are to be replaced. */
export function changed(recipe: string, changes: Changes): string {
  return Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The recipe says nothing of ${from}:\n${text}`);
    return text.replaceAll(from, to);
  }, recipe);
}

/** The block of the page in a language that begins with these words. */
function recipe(language: string, start: string): string {
  const [, found] = PAGE.split(`\n\`\`\`${language}\n${start}`);
  if (found === undefined) throw new Error(`docs/operating.md has no block of ${language} that begins with ${start}.`);
  return start + found.slice(0, found.indexOf("\n```"));
}

/** The flags of `lacre serve` behind a proxy whose address is `url`. */
export function serveBehind(url: string): string[] {
  const command = recipe("sh", "lacre serve --trusted-proxy");
  return changed(command, { "https://loja.pt/faturas": url }).split(" ").slice(1);
}

/** Where a proxy is started, and for whom. */
interface Spot {
  /** A directory of the test's own, in which its certificate is: `loja.pt.crt` and `loja.pt.key`. */
  readonly directory: string;
  /** The port on 127.0.0.1 that it takes. */
  readonly port: number;
  /** The server behind it: `127.0.0.1:8787`. */
  readonly behind: string;
}

/** A proxy, as the page sets it up. */
export interface Front {
  readonly name: string;
  readonly isInstalled: boolean;
  /** What the page says to change for a site without a path. */
  readonly withoutPath: Changes;
  /** What lets the proxy take the path off. */
  readonly takingOff: Changes;
  /** What lets it pass on requests for any name, which nginx does where it has one site. */
  readonly forAnyName: Changes;
  /** What lets it name a path to the server. */
  readonly naming: (path: string) => Changes;
  /** Starts it by the recipe, after `changes` of it, and waits until it listens. It ends with the test. */
  start(spot: Spot, changes?: Changes): Promise<void>;
}

/** Whether a program is there. */
const answers = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;

export const NGINX: Front = {
  name: "nginx",
  isInstalled: answers("nginx", "-v"),
  withoutPath: { "location /faturas/": "location /" },
  takingOff: { "proxy_pass http://127.0.0.1:8787;": "proxy_pass http://127.0.0.1:8787/;" },
  forAnyName: {},
  naming: (path) => ({ 'X-Forwarded-Prefix "";': `X-Forwarded-Prefix ${path};` }),
  start({ directory, port, behind }, changes = {}) {
    const site = changed(changed(recipe("nginx", "server {"), changes), {
      "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
      "/etc/ssl/loja.pt": join(directory, "loja.pt"),
      "127.0.0.1:8787": behind,
    });
    const file = join(directory, "nginx.conf");
    const temporary = ["client_body", "proxy", "fastcgi", "scgi", "uwsgi"].map(
      (what) => `${what}_temp_path ${join(directory, what)};`,
    );
    writeFileSync(
      file,
      `daemon off;
master_process off;
pid ${join(directory, "nginx.pid")};
events {}
http {
access_log off;
${temporary.join("\n")}
${site}
}
`,
    );
    return run(directory, port, "nginx", "-p", directory, "-c", file, "-e", "stderr");
  },
};

export const CADDY: Front = {
  name: "Caddy",
  isInstalled: answers("caddy", "version"),
  withoutPath: { "  redir /faturas /faturas/\n": "", " /faturas/*": "" },
  takingOff: { "reverse_proxy /faturas/*": "uri strip_prefix /faturas\n  reverse_proxy" },
  forAnyName: { "loja.pt {": "https:// {" },
  naming: (path) => ({ "header_up -X-Forwarded-Prefix": `header_up X-Forwarded-Prefix ${path}` }),
  start({ directory, port, behind }, changes = {}) {
    const certificate = ["crt", "key"].map((ending) => join(directory, `loja.pt.${ending}`));
    const site = changed(changed(recipe("caddyfile", "loja.pt {"), changes), {
      "127.0.0.1:8787": behind,
    }).replace(/^(\S+) \{\n/, `$1:${port} {\n  bind 127.0.0.1\n  tls ${certificate.join(" ")}\n`);
    const file = join(directory, "Caddyfile");
    // Nothing outside its directory, and no port but one.
    writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n}\n${site}\n`);
    return run(directory, port, "caddy", "run", "--config", file, "--adapter", "caddyfile");
  },
};

/** Starts a proxy in its directory, and waits until it takes connections. Rejects, with what it said, if it ends. */
async function run(directory: string, port: number, program: string, ...args: readonly string[]): Promise<void> {
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const env = { ...process.env, ...home };
  const child = spawn(program, args, { cwd: directory, env, stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said.join("")}`);
    return isTaken(port);
  });
}

/** Whether a port of this machine takes connections. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
