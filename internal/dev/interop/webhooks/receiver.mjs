// A callback that verifies with standardwebhooks and with svix. It takes a secret, prints its URL, and then a line of
// JSON for each message: its id, and what each verifier says.
import http from 'node:http';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';

const [, , secret] = process.argv;
const verifiers = { standardwebhooks: new Standard(secret), svix: new Svix(secret) };

// says returns what a verifier has against a message.
function says(verifier, body, headers) {
  try {
    verifier.verify(body, headers);
  } catch (err) {
    return String(err);
  }
  return undefined;
}

const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => { body += chunk; });
  request.on('end', () => {
    const report = { id: request.headers['webhook-id'] };
    for (const [name, verifier] of Object.entries(verifiers)) {
      report[name] = says(verifier, body, request.headers) ?? 'ok';
      if (!says(verifier, `${body} `, request.headers)) report[name] = 'accepts another body';
    }
    const message = JSON.parse(body);
    console.log(JSON.stringify(report));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(message?.type === 'verification' ? { challenge: message.challenge } : {}));
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/hook`));
process.stdin.on('end', () => process.exit(0)).resume();
