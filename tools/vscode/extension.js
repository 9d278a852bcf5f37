"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = workspace.getConfiguration("devlint");
  const [command, ...args] = settings.get("command");
  client = new LanguageClient(
    "devlint",
    "devlint",
    { command, args },
    {
      documentSelector: [{ language: "python", scheme: "file" }],
      initializationOptions: { inlayHints: settings.get("inlayHints") },
      synchronize: {
        configurationSection: "devlint",
        fileEvents: workspace.createFileSystemWatcher("**/{*.py,*.pyi,pyproject.toml,devlint.toml,.devlint.toml}"),
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`devlint: \`${command}\` could not be started: ${error.message}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("devlint.restart", async () => {
      await stop();
      await start();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("devlint.command")) await commands.executeCommand("devlint.restart");
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
