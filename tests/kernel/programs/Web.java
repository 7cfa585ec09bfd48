// SPDX-License-Identifier: MIT
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URL;
import com.sun.net.httpserver.HttpServer;

/** Serves HTTP, asks itself for a page, and keeps one more connection until standard input ends. */
public class Web {
	public static void main(String[] args) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
		server.createContext("/", exchange -> {
			byte[] text = "hello from Java".getBytes();
			exchange.sendResponseHeaders(200, text.length);
			exchange.getResponseBody().write(text);
			exchange.close();
		});
		server.start();
		URL url = new URL("http://127.0.0.1:" + args[0] + "/");
		System.out.println(new String(url.openStream().readAllBytes()));
		try (Socket held = new Socket("127.0.0.1", server.getAddress().getPort())) {
			System.out.println("ready");
			System.in.read();
		}
		server.stop(0);
	}
}
