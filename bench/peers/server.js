// boardgame.io's server, which keeps matches in memory: prints the port it listens on.
process.env.NODE_ENV = 'production';
const { Server, Origins } = require('boardgame.io/server');
const { game } = require('./game.js');

const say = console.log;
console.log = console.info = () => {};
const server = Server({ games: [game], origins: [Origins.LOCALHOST] });
server.run({ port: 0, lobbyConfig: { apiPort: 0 } }).then(({ appServer }) => say(appServer.address().port));
