// A JSON socket that comes back by itself: full jitter up to half a minute, at once when the network or the reader returns. It knows no frame by name but ping.

const FIRST = 500;
const LONGEST = 30_000;
const OFFLINE = 15_000; // without a network only a server on this machine can answer, so trying is rare
const SHOWN_AFTER = 3_000; // a shorter break is nobody's business
const QUIET = 20_000;
const PATIENCE = 10_000;
const SIGN_IN_AGAIN = 4001;

/**
 * @param {string} url @param {(event: Kenny.Event) => void} tell gets {type: "frame"} and {type: "link"}
 * @returns {{ send: (frame: Kenny.Outgoing) => void, retry: () => void, renew: () => void, close: () => void }}
 */
export function connect(url, tell) {
  /** @type {WebSocket | null} */
  let socket = null;
  let [tries, ended, heard] = [0, false, 0];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let shown;

  const isOpen = () => socket?.readyState === WebSocket.OPEN;
  const down = () => {
    tell({ type: "link", link: navigator.onLine ? "down" : "offline" });
    shown ??= setTimeout(() => { if (!isOpen()) tell({ type: "link", link: navigator.onLine ? "lost" : "offline" }); }, SHOWN_AFTER);
  };
  const open = () => {
    clearTimeout(again);
    if (ended || socket) return;
    const mine = new WebSocket(url);
    socket = mine;
    mine.onmessage = (message) => {
      if (mine !== socket) return;
      [tries, heard] = [0, Date.now()];
      clearTimeout(shown);
      shown = undefined;
      tell({ type: "frame", frame: JSON.parse(String(message.data)) });
    };
    mine.onclose = (event) => { if (mine === socket) gone(event.code); };
  };
  const gone = (/** @type {number} */ code) => {
    socket = null;
    if (code === SIGN_IN_AGAIN) { ended = true; tell({ type: "link", link: "signed-out" }); return; }
    if (ended) return;
    down();
    const jitter = Math.random() * Math.min(LONGEST, FIRST * 2 ** tries);
    again = setTimeout(open, navigator.onLine ? jitter : OFFLINE + Math.random() * OFFLINE);
    tries += 1;
  };
  const drop = () => { const old = socket; socket = null; old?.close(); if (old) gone(0); };
  const retry = () => { if (!socket) open(); else if (socket.readyState !== WebSocket.CONNECTING) ping(); };
  const ping = () => {
    if (!isOpen()) return;
    const asked = Date.now();
    socket?.send(JSON.stringify({ type: "ping", ref: "ping" }));
    setTimeout(() => { if (heard < asked && isOpen()) drop(); }, PATIENCE);
  };

  setInterval(() => { if (isOpen() && Date.now() - heard > QUIET) ping(); }, QUIET / 2);
  addEventListener("online", () => { tries = 0; tell({ type: "link", link: "down" }); retry(); });
  addEventListener("offline", () => { tell({ type: "link", link: "offline" }); drop(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { tries = 0; retry(); } });
  shown = setTimeout(() => { if (!isOpen()) down(); }, SHOWN_AFTER);
  open();
  return {
    send: (frame) => { if (isOpen()) socket?.send(JSON.stringify(frame)); },
    retry: () => { [tries, ended] = [0, false]; retry(); },
    /** Under a new session: the old socket is of the one that ended. */
    renew: () => { [tries, ended] = [0, false]; const old = socket; socket = null; old?.close(); open(); },
    close: () => { ended = true; clearTimeout(again); socket?.close(); },
  };
}
