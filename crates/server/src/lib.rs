//! HTTP, WebSocket and the page.
