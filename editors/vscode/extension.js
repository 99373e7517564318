// Starts `probelint lsp` for YAML, Helm and Go files of the workspace.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("probelint");
  client = new LanguageClient(
    "probelint",
    "probelint",
    {
      command: settings.get("path", "probelint"),
      args: ["lsp", "--show", settings.get("show", "info")],
      transport: TransportKind.stdio,
    },
    {
      documentSelector: ["yaml", "helm", "go"].map((language) => ({ scheme: "file", language })),
    },
  );
  await client.start();
}

async function restart() {
  await deactivate();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("probelint.restart", restart),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("probelint")) return restart();
    }),
  );
  await start();
}

async function deactivate() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

module.exports = { activate, deactivate };
