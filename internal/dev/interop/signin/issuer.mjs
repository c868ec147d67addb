// An authorization server for the tests: oidc-provider, where whoever comes is ann and agrees to everything.
//
//	node issuer.mjs PORT RESOURCE SECONDS jwt|opaque
//
// It issues access tokens for RESOURCE that last SECONDS. It prints a line when it listens.
import { generateKeyPairSync } from "node:crypto";
import Provider, { errors } from "oidc-provider";

const [port, resource, seconds, format] = process.argv.slice(2);
const issuer = `http://localhost:${port}`;
const known = "diary.read diary.write";

function key(kid, alg, type, options) {
  return { ...generateKeyPairSync(type, options).privateKey.export({ format: "jwk" }), kid, alg, use: "sig" };
}

const provider = new Provider(issuer, {
  jwks: { keys: [key("rsa", "RS256", "rsa", { modulusLength: 2048 }), key("ed", "EdDSA", "ed25519")] },
  clients: [
    { client_id: "server", client_secret: "server-secret", grant_types: [], redirect_uris: [], response_types: [] },
    { client_id: "robot", client_secret: "robot-secret", grant_types: ["client_credentials"], redirect_uris: [], response_types: [] },
  ],
  scopes: ["offline_access", ...known.split(" ")],
  // Clients register with the scopes of the first challenge. Here that does not limit what they may ask for later.
  extraClientMetadata: {
    properties: ["any_scope"],
    validator: (_ctx, _name, _value, metadata) => { metadata.scope = undefined; },
  },
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  interactions: { url: (_, interaction) => `/agree/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    dPoP: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    registration: { enabled: true },
    revocation: { enabled: true, allowedPolicy: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo(_, wanted) {
        if (wanted !== resource) throw new errors.InvalidTarget();
        return {
          scope: known, audience: resource, accessTokenFormat: format, accessTokenTTL: Number(seconds),
          jwt: { sign: { alg: "RS256" } },
        };
      },
    },
  },
});

/** Agrees to what the client asks for, at once. */
async function agree(ctx) {
  const { params, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
  const grant = (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId: "ann", clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? "");
  if (params.resource) grant.addResourceScope(params.resource, params.scope ?? "");
  const result = { login: { accountId: "ann" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: true });
}

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/agree/")) return next();
  ctx.respond = false;
  return agree(ctx);
});
provider.on("server_error", (_, err) => console.error(err));
provider.listen(Number(port), "localhost", () => console.log(`issuer at ${issuer}`));
