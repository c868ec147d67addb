// A browser whose user agrees to everything: it follows redirects and keeps cookies.
//
//	node browser.mjs ADDRESS
import { argv } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What a browser does until it is sent back to the client. The parameters are returned; a client that listens gets them. */
export async function browse(address) {
  const cookies = new Map();
  for (let at = address, n = 0; n < 20; n++) {
    const response = await fetch(at, { redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    const to = response.headers.get("location");
    if (!to) throw new Error(`${at}: ${response.status} ${await response.text()}`);
    at = new URL(to, at);
    if (at.searchParams.has("code") || at.searchParams.has("error")) {
      if (at.port !== "3000") await goBack(at);
      return at.searchParams;
    }
  }
  throw new Error("too many redirects");
}

/** Goes back to the client. Some listen only once the browser is open, and a user is slower than this program. */
async function goBack(at) {
  for (let n = 0; n < 100; n++) {
    try {
      return await fetch(at);
    } catch (err) {
      if (err.cause?.code !== "ECONNREFUSED") throw err;
      await wait(100);
    }
  }
  throw new Error(`${at.origin}: nobody listens`);
}

if (argv[1] === fileURLToPath(import.meta.url)) await browse(new URL(argv[2]));
