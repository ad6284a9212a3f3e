// Runs where nobody is signed in: whoever was has left. Open chat pages ask the server at once, and what the server has too goes from this browser.
import { sweep } from "../chat/io/others.js";

new BroadcastChannel("kenny").postMessage({ account: "" });
void sweep("");
